// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/base/failure.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "gyre/effect/run_outcome.hpp"

namespace gyre::effect {

const std::vector<script::Action>& ScriptedGuest::find(std::string_view entry) const {
    const auto found = entries_.find(entry);
    if (found != entries_.end()) return found->second;
    throw ProtocolError(ErrorKind::unknown_export,
                        "the guest has no function " + std::string(entry));
}

Step ScriptedGuest::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    calls_.push_back("start " + std::string(entry) + arguments.to_text());
    auto strand = std::make_unique<Strand>(&find(entry));
    if (!arguments.empty()) strand->last = arguments[0];
    return go_on(std::move(strand), tasks);
}

Step ScriptedGuest::resume(Continuation at, Value answer, TaskHost& tasks) {
    calls_.push_back("resume " + answer.to_text());
    std::unique_ptr<Strand> strand = take_back(at);
    strand->last = std::move(answer);
    return go_on(std::move(strand), tasks);
}

Step ScriptedGuest::end(Continuation at, Value value, TaskHost& /*tasks*/) {
    calls_.push_back("end " + value.to_text());
    static_cast<void>(take_back(at));
    Step step;
    step.value = std::move(value);
    return step;
}

void ScriptedGuest::release(Continuation at) noexcept {
    calls_.emplace_back("release");
    static_cast<void>(take_back(at));
}

Continuation ScriptedGuest::hold(std::unique_ptr<Strand> strand) noexcept {
    ++held_count_;
    return reinterpret_cast<Continuation>(strand.release());
}

std::unique_ptr<ScriptedGuest::Strand> ScriptedGuest::take_back(Continuation at) noexcept {
    GYRE_ASSERT(at != 0, "a guest resumes, ends or releases a continuation that it returned");
    GYRE_ASSERT(held_count_ > 0, "a continuation is resumed, ended or released once");
    --held_count_;
    return std::unique_ptr<Strand>(reinterpret_cast<Strand*>(at));
}

// Runs up to the next action that returns a step. A function without an end returns nothing.
Step ScriptedGuest::go_on(std::unique_ptr<Strand> strand, TaskHost& tasks) {
    using script::Verb;
    Step step;
    while (strand->at < strand->actions->size()) {
        const script::Action& action = (*strand->actions)[strand->at++];
        switch (action.verb) {
            case Verb::perform:
                step.status = StepStatus::effect;
                step.op = &ops_.at(action.at);
                step.kind = step.op->kind;
                step.arguments = action.arguments;
                step.continuation = hold(std::move(strand));
                return step;
            case Verb::give:
                step.value = action.value;
                return step;
            case Verb::give_last:
                step.value = std::move(strand->last);
                return step;
            case Verb::fail:
                throw Failure(action.text);
            case Verb::yield:
                step.status = StepStatus::yield;
                step.continuation = hold(std::move(strand));
                return step;
            case Verb::spawn:
            case Verb::detach: {
                const auto how = action.verb == Verb::spawn ? TaskHost::Spawn::attached
                                                            : TaskHost::Spawn::detached;
                auto body = std::make_unique<Strand>(&find(action.text));
                strand->tasks.push_back(tasks.spawn(how, hold(std::move(body))));
                break;
            }
            case Verb::cancel:
                strand->last = tasks.cancel(strand->tasks.at(action.at));
                break;
            case Verb::wait:
                step.status = StepStatus::wait;
                step.capability = strand->tasks.at(action.at);
                step.continuation = hold(std::move(strand));
                return step;
            case Verb::take:
                strand->last = tasks.take_value(strand->tasks.at(action.at));
                break;
        }
    }
    return step;
}

}  // namespace gyre::effect
