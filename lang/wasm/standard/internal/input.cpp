// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/internal/input.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/net/standard.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/detail/utf8.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::tail;
using effect::Value;

namespace {

constexpr std::size_t line_max_bytes = std::size_t{1} << 20u;
constexpr std::int64_t input_bytes_max = std::int64_t{1} << 20u;  // of one read_bytes
constexpr std::size_t read_size = 16'384;

// The value is one of the right type: the module decodes it before it looks at `ok`.
Value input_record(bool is_found, Value value) {
    return record({{"ok", true},
                   {"found", is_found},
                   {"value", std::move(value)},
                   {"code", 0},
                   {"message", ""}});
}
Value input_failure(const char* message, Value value) {
    constexpr int failure = 1;
    return record({{"ok", false},
                   {"found", false},
                   {"value", std::move(value)},
                   {"code", failure},
                   {"message", message}});
}

Future<std::string> read_standard_input(std::size_t size_max) {
    std::string bytes(size_max, '\0');
    const net::StandardStream stream = net::standard_input();
    const std::size_t size =
        co_await stream.read(std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
    bytes.resize(size);
    co_return bytes;
}

}  // namespace

Input::Input(Read read, Write write_prompt)
    : read_(read ? std::move(read) : Read(&read_standard_input)),
      write_prompt_(std::move(write_prompt)) {}

Input::Op Input::find(std::string_view name) noexcept {
    if (name == "read_line") return &Input::read_line;
    if (name == "read_bytes_op" || name == "read_bytes") return &Input::read_bytes;
    if (name == "is_tty_op" || name == "is_tty") return &Input::is_terminal;
    return nullptr;
}

Future<bool> Input::fill() {
    if (is_at_end_) co_return false;
    const std::string bytes = co_await read_(read_size);
    is_at_end_ = bytes.empty();
    buffered_ += bytes;
    co_return !is_at_end_;
}

// The place of the line feed, or the end of what is left.
Future<std::size_t> Input::find_line_end() {
    for (std::size_t looked_at = 0;;) {
        const std::size_t end = buffered_.find('\n', looked_at);
        if (end != std::string::npos) co_return end;
        looked_at = buffered_.size();
        if (looked_at > line_max_bytes) {
            throw Failure("a line of the input has more than line_max_bytes (" +
                          std::to_string(line_max_bytes) + ")");
        }
        const bool has_more = co_await fill();
        if (!has_more) co_return buffered_.size();
    }
}

Future<Answer> Input::read_line(Arguments arguments) {
    const Value& request = argument(arguments, Value::Kind::record);
    const Value* prompt = optional_field(request, "prompt", Value::Kind::text);
    try {
        const MutexGuard guard = co_await mutex_.lock();
        if (prompt != nullptr && !prompt->text().empty()) write_prompt_(prompt->text());
        const std::size_t end = co_await find_line_end();
        const bool is_found = !buffered_.empty();
        std::string line = buffered_.substr(0, end);
        buffered_.erase(0, std::min(end + 1, buffered_.size()));
        if (line.ends_with('\r')) line.pop_back();
        if (!is_utf8(line)) throw Failure("a line of the input is no UTF-8");
        co_return tail(input_record(is_found, Value(std::move(line))));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return tail(input_failure(error.what(), ""));
    }
}

Future<Answer> Input::read_bytes(Arguments arguments) {
    const std::int64_t wanted =
        integer_field(argument(arguments, Value::Kind::record), "max_bytes");
    const auto size =
        static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 0, input_bytes_max));
    try {
        const MutexGuard guard = co_await mutex_.lock();
        if (size > 0 && buffered_.empty()) co_await fill();
        const bool is_found = size == 0 || !buffered_.empty();
        const std::string bytes = buffered_.substr(0, size);
        buffered_.erase(0, bytes.size());
        co_return tail(input_record(is_found, Value(blob_of(bytes))));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return tail(input_failure(error.what(), Value(Value::Blob{})));
    }
}

// A module gets no terminal.
Future<Answer> Input::is_terminal(Arguments /*arguments*/) {
    co_return tail(false);
}

}  // namespace gyre::wasm
