// SPDX-License-Identifier: Apache-2.0
#include "cli/wasm_journal.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>

#include "cli/usage.hpp"
#include "cli/wasm_file.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"

namespace gyre::cli {
namespace {

using effect::JournalEntry;
using effect::Value;

constexpr std::size_t journal_size_max_bytes = std::size_t{1} << 30u;
constexpr int error_kind_count = 20;

const Value& field(const Value& line, const char* name) {
    const Value* found = line.is(Value::Kind::record) ? line.field(name) : nullptr;
    if (found == nullptr) throw Failure(std::string("it has no ") + name);
    return *found;
}
std::int64_t number(const Value& line, const char* name) {
    const Value& found = field(line, name);
    if (!found.is(Value::Kind::integer)) throw Failure(std::string(name) + " is no number");
    return found.integer();
}
const std::string& text(const Value& line, const char* name) {
    const Value& found = field(line, name);
    if (!found.is(Value::Kind::text)) throw Failure(std::string(name) + " is no text");
    return found.text();
}

JournalEntry entry_from(const Value& line) {
    JournalEntry entry;
    entry.task = static_cast<std::uint32_t>(number(line, "task"));
    entry.effect = text(line, "effect");
    entry.op = text(line, "op");
    entry.signature = static_cast<std::uint32_t>(number(line, "signature"));
    const Value& arguments = field(line, "arguments");
    if (!arguments.is(Value::Kind::list)) throw Failure("arguments is no list");
    for (const Value& argument : arguments.list()) entry.arguments.push_back(argument);
    if (line.field("failure") != nullptr) {
        entry.is_failure = true;
        entry.failure = text(line, "failure");
        const std::int64_t kind = number(line, "failure_kind");
        if (kind < 0 || kind >= error_kind_count) throw Failure("failure_kind is unknown");
        entry.failure_kind = static_cast<effect::ErrorKind>(kind);
        return entry;
    }
    const std::string& kind = text(line, "kind");
    entry.kind = kind == "tail"  ? effect::AnswerKind::tail
                 : kind == "end" ? effect::AnswerKind::end
                                 : effect::AnswerKind::resume;
    entry.value = field(line, "value");
    return entry;
}

std::string line_of(const JournalEntry& entry) {
    Value::Record line;
    line.emplace_back("task", entry.task);
    line.emplace_back("effect", entry.effect);
    line.emplace_back("op", entry.op);
    line.emplace_back("signature", entry.signature);
    line.emplace_back("arguments",
                      Value(Value::List(entry.arguments.begin(), entry.arguments.end())));
    if (entry.is_failure) {
        line.emplace_back("failure", entry.failure);
        line.emplace_back("failure_kind", static_cast<int>(entry.failure_kind));
    } else {
        line.emplace_back("kind", effect::name_of(entry.kind));
        line.emplace_back("value", entry.value);
    }
    return effect::to_json(Value(std::move(line)));
}

}  // namespace

FileJournal::FileJournal(const std::string& path) : file_(std::fopen(path.c_str(), "a+")) {
    if (file_ == nullptr) throw UsageError("--journal " + path + ": " + std::strerror(errno));
    std::istringstream lines(read_whole_file(path, journal_size_max_bytes));
    std::string line;
    for (int at = 1; std::getline(lines, line); ++at) {
        try {
            entries_.push_back(entry_from(effect::value_from_json(line)));
        } catch (const Failure& failure) {
            std::fclose(file_);
            throw UsageError("--journal " + path + ":" + std::to_string(at) + ": " +
                             failure.what());
        }
    }
}

FileJournal::~FileJournal() {
    std::fclose(file_);
}

const JournalEntry* FileJournal::next() {
    return at_ < entries_.size() ? &entries_[at_] : nullptr;
}

void FileJournal::record(JournalEntry entry) {
    const std::string line = line_of(entry) + "\n";
    if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0) {
        throw Failure(std::string("the journal cannot be written: ") + std::strerror(errno));
    }
}

}  // namespace gyre::cli
