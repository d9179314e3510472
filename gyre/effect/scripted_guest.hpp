// SPDX-License-Identifier: Apache-2.0
// ScriptedGuest: a guest whose functions are lists of actions, for tests of handlers and
// schedulers. It writes down every call into it. It belongs to the loop's thread and outlives its
// runs.
//
//     ScriptedGuest guest({OpInfo("com.example.async", "await", ResumeKind::resume)});
//     guest.add("main", {script::perform(0, {1}), script::perform(0, {3}), script::give(40)});
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gyre/effect/guest.hpp"

namespace gyre::effect {

namespace script {

enum class Verb : std::uint8_t {
    perform,
    give,
    give_last,
    fail,
    yield,
    spawn,
    detach,
    cancel,
    wait,
    take
};

struct Action {
    Verb verb;
    std::size_t at = 0;  // of the op in the guest's table, or of the task in the order of spawning
    Arguments arguments = {};
    Value value = {};
    std::string text = {};
};

// Asks the op of that number.
inline Action perform(std::size_t op, Arguments arguments = {}) {
    return {.verb = Verb::perform, .at = op, .arguments = std::move(arguments)};
}
// Ends the function with this value, or with the last answer.
inline Action give(Value value) {
    return {.verb = Verb::give, .value = std::move(value)};
}
inline Action give_last() {
    return {.verb = Verb::give_last};
}
// Throws: a trap.
inline Action fail(std::string text) {
    return {.verb = Verb::fail, .text = std::move(text)};
}
inline Action yield() {
    return {.verb = Verb::yield};
}
// Starts a task with that function; wait, take and cancel name it by its number, from 0.
inline Action spawn(std::string entry) {
    return {.verb = Verb::spawn, .text = std::move(entry)};
}
inline Action detach(std::string entry) {
    return {.verb = Verb::detach, .text = std::move(entry)};
}
inline Action cancel(std::size_t task) {
    return {.verb = Verb::cancel, .at = task};
}
// Its status becomes the last answer; its value does after `take`.
inline Action wait(std::size_t task) {
    return {.verb = Verb::wait, .at = task};
}
inline Action take(std::size_t task) {
    return {.verb = Verb::take, .at = task};
}

}  // namespace script

class ScriptedGuest final : public Guest {
public:
    explicit ScriptedGuest(std::vector<OpInfo> ops) : ops_(std::move(ops)) {}

    ScriptedGuest& add(std::string entry, std::vector<script::Action> actions) {
        entries_[std::move(entry)] = std::move(actions);
        return *this;
    }

    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return ops_; }
    [[nodiscard]] Step start(std::string_view entry, Arguments arguments, TaskHost& tasks) override;
    [[nodiscard]] Step resume(Continuation at, Value answer, TaskHost& tasks) override;
    [[nodiscard]] Step end(Continuation at, Value value, TaskHost& tasks) override;
    void release(Continuation at) noexcept override;

    // Every call, in its order: `start main(1)`, `resume 2`, `end 5`, `release`.
    [[nodiscard]] const std::vector<std::string>& calls() const noexcept { return calls_; }
    // Continuations it has given out and not got back.
    [[nodiscard]] std::size_t held_count() const noexcept { return held_count_; }

private:
    struct Strand {
        const std::vector<script::Action>* actions;
        std::size_t at = 0;
        Value last = {};
        std::vector<Capability> tasks = {};
    };
    [[nodiscard]] const std::vector<script::Action>& find(std::string_view entry) const;
    [[nodiscard]] Step go_on(std::unique_ptr<Strand> strand, TaskHost& tasks);
    [[nodiscard]] Continuation hold(std::unique_ptr<Strand> strand) noexcept;
    [[nodiscard]] std::unique_ptr<Strand> take_back(Continuation at) noexcept;

    std::vector<OpInfo> ops_;
    std::map<std::string, std::vector<script::Action>, std::less<>> entries_;
    std::vector<std::string> calls_;
    std::size_t held_count_ = 0;
};

}  // namespace gyre::effect
