// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/job_trace.hpp"

#include <charconv>
#include <iterator>
#include <source_location>

namespace gyre::script {
namespace {

// Above the ids of an executor on the same loop.
constexpr std::uint64_t first_id = std::uint64_t{1} << 40u;

// "timer 3: onTick (/home/me/app.js:3:5)" as "timer onTick (app.js:3:5)": the number belongs to one
// job, and a trace keeps names short.
std::string name_of(std::string_view step) {
    const std::size_t colon = step.find(": ");
    std::string_view kind = step.substr(0, colon);
    if (const std::size_t space = kind.rfind(' ');
        space != kind.npos && kind.find_first_not_of("0123456789", space + 1) == kind.npos) {
        kind = kind.substr(0, space);
    }
    std::string name(kind);
    if (colon == step.npos) return name;
    std::string_view rest = step.substr(colon + 2);
    const std::size_t place = rest.rfind('(');
    name += ' ';
    if (place == rest.npos) return name.append(rest);
    name.append(rest.substr(0, place + 1));
    rest.remove_prefix(place + 1);
    const std::size_t folder = rest.rfind('/');
    return name.append(folder == rest.npos ? rest : rest.substr(folder + 1));
}

// In the form of the arrows of ops, whose start also has the trace id. A trace keeps 23 bytes.
std::string cause_text(Cause cause) {
    if (cause.op_id == 0) return "nothing";
    char digits[17];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), cause.op_id, 16).ptr;
    return "op 0x" + std::string(digits, end);
}

}  // namespace

std::uint64_t JobTrace::id_of(const std::string& name) {
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    if (ids_.size() >= name_count_max) return first_id;
    return ids_.emplace(name, first_id + 1 + ids_.size()).first->second;
}

void JobTrace::begin(std::string_view step) {
    is_microtask_expected_ = false;
    end();
    Observer* observer = pump_.observer();
    if (observer == nullptr) return;
    const std::string name = name_of(step);
    running_ = id_of(name);
    observer->on_task_waits(running_, cause_text(cause_), std::source_location());
    observer->on_task(TaskEvent::suspended, running_, {});
    observer->on_task(TaskEvent::started, running_,
                      running_ == first_id ? std::string_view("other jobs") : name);
}

void JobTrace::expect_microtask() {
    end();
    is_microtask_expected_ = true;
}

void JobTrace::end() {
    if (is_microtask_expected_) begin("microtask");
    if (running_ == 0) return;
    if (Observer* observer = pump_.observer()) {
        observer->on_task(TaskEvent::ended, running_, {});
    }
    running_ = 0;
}

void JobTrace::keep_immediate(double number) {
    const auto index = static_cast<std::size_t>(number);
    if (index >= immediates_.size()) immediates_.resize(index + 1);
    immediates_[index] = cause_;
}

void JobTrace::enter_immediate(double number) noexcept {
    const auto index = static_cast<std::size_t>(number);
    cause_ = index < immediates_.size() ? immediates_[index] : Cause();
}

void JobTrace::enter_call(double id) {
    const auto found = calls_.find(id);
    cause_ = found == calls_.end() ? Cause() : found->second;
    if (found != calls_.end()) calls_.erase(found);
}

}  // namespace gyre::script
