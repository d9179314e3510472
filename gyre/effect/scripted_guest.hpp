// SPDX-License-Identifier: Apache-2.0
// ScriptedGuest: a guest whose functions are lists of actions, for tests of handlers and
// schedulers. It records every call into it.
//
//     ScriptedGuest guest({OpInfo("com.example.async", "await", ResumeKind::resume)});
//     guest.add("main", {script::perform(0, {1}), script::perform(0, {3}), script::give(40)});
//
// Thread: the scheduler's.
// Lifetime: it outlives its runs.
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
    std::size_t at =
        0;  // index of the op in the guest's table, or of the task in the order of spawning
    Arguments arguments = {};
    Value value = {};
    std::string text = {};
};

// Performs the op with that index.
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
// Throws, as a trap does.
inline Action fail(std::string text) {
    return {.verb = Verb::fail, .text = std::move(text)};
}
inline Action yield() {
    return {.verb = Verb::yield};
}
// Spawns a task with that function; wait, take and cancel name it by its index, from 0.
inline Action spawn(std::string entry) {
    return {.verb = Verb::spawn, .text = std::move(entry)};
}
inline Action detach(std::string entry) {
    return {.verb = Verb::detach, .text = std::move(entry)};
}
inline Action cancel(std::size_t task) {
    return {.verb = Verb::cancel, .at = task};
}
// The status of the task becomes the last answer; after `take`, its value does.
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

    // Every call, in order: `start main(1)`, `resume 2`, `end 5`, `release`.
    [[nodiscard]] const std::vector<std::string>& calls() const noexcept { return calls_; }
    // Continuations that were not yet resumed, ended or released.
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
