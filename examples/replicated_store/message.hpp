// SPDX-License-Identifier: Apache-2.0
// The entries of the replicated log, and the datagrams between servers and clients, as text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace store {

struct Entry {
    std::uint64_t term = 0;
    std::uint64_t client = 0;  // with number: says which request it is, also when it is sent again
    std::uint64_t number = 0;
    std::uint64_t kind = 0;  // of MapHistory::Kind
    std::string key = {};
    std::string value = {};
};

enum class Type : std::uint8_t { vote, voted, append, appended, request, reply };

struct Message {
    Type type{};
    std::uint64_t term = 0;
    std::uint64_t from = 0;
    std::uint64_t index = 0;     // of the entry before the new one, or of the last that is known
    std::uint64_t log_term = 0;  // of that entry
    std::uint64_t commit = 0;
    std::uint64_t ok = 0;
    std::vector<Entry> entries = {};  // of a request: one; of a reply: its number and result
};

class Writer {
public:
    void add(std::uint64_t number) { text_ += std::to_string(number) + ' '; }
    void add(std::string_view bytes) {
        add(bytes.size());
        text_ += bytes;
    }
    void add(const Entry& entry) {
        for (const auto number : {entry.term, entry.client, entry.number, entry.kind}) add(number);
        add(entry.key);
        add(entry.value);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}
    std::uint64_t number() {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        is_good_ = is_good_ && error == std::errc() && end != text_.data() + text_.size();
        if (!is_good_) return 0;
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()) + 1);
        return value;
    }
    std::string bytes() {
        const std::uint64_t size = number();
        is_good_ = is_good_ && size <= text_.size();
        if (!is_good_) return {};
        std::string value(text_.substr(0, size));
        text_.remove_prefix(size);
        return value;
    }
    Entry entry() {
        Entry read;
        for (auto* number_of : {&read.term, &read.client, &read.number, &read.kind}) {
            *number_of = number();
        }
        read.key = bytes();
        read.value = bytes();
        return read;
    }
    // Whether all was as it should be.
    [[nodiscard]] bool is_good() const { return is_good_; }

private:
    std::string_view text_;
    bool is_good_ = true;
};

inline std::string to_text(const Message& message) {
    Writer writer;
    writer.add(static_cast<std::uint64_t>(message.type));
    for (const auto number : {message.term, message.from, message.index, message.log_term,
                              message.commit, message.ok, message.entries.size()}) {
        writer.add(number);
    }
    for (const Entry& entry : message.entries) writer.add(entry);
    return writer.take();
}

inline std::optional<Message> parse(std::string_view text) {
    Reader reader(text);
    Message message;
    message.type = static_cast<Type>(reader.number());
    for (auto* number_of : {&message.term, &message.from, &message.index, &message.log_term,
                            &message.commit, &message.ok}) {
        *number_of = reader.number();
    }
    const std::uint64_t count = reader.number();
    for (std::uint64_t i = 0; i < count && reader.is_good(); ++i) {
        message.entries.push_back(reader.entry());
    }
    if (!reader.is_good() || message.type > Type::reply) return std::nullopt;
    return message;
}

}  // namespace store
