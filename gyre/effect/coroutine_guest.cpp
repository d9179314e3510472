// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/coroutine_guest.hpp"

namespace gyre::effect {

EffectfulPromise* EffectfulPromise::destroy() noexcept {
    EffectfulPromise* parent = parent_;
    if (parent != nullptr) holder_->promise_ = nullptr;
    handle().destroy();
    return parent;
}

// Trampoline: resumes coroutines until one performs an op or the outermost has ended.
GYRE_ALWAYS_INLINE Step CoroutineGuest::run(EffectfulPromise& from, Value&& answer,
                                            TaskHost& tasks) {
    Step step;
    Visit visit{.tasks = tasks, .step = step, .answer = std::move(answer), .next = &from};
    EffectfulPromise* at = nullptr;
    do {
        at = std::exchange(visit.next, nullptr);
        at->resume(visit);
    } while (visit.next != nullptr);
    if (step.continuation == 0) {
        const struct Frame {
            EffectfulPromise& promise;
            ~Frame() { promise.destroy(); }
        } ended{*at};
        at->finish(step);
    }
    return step;
}

Step CoroutineGuest::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    for (Entry& one : entries_) {
        if (one.name != entry) continue;
        if (one.param_count != arguments.size()) {
            throw ProtocolError(ErrorKind::decode_failed, one.name + " takes " +
                                                              std::to_string(one.param_count) +
                                                              " arguments, and was started with " +
                                                              std::to_string(arguments.size()));
        }
        return run(one.begin(arguments), Value(), tasks);
    }
    throw ProtocolError(ErrorKind::unknown_export,
                        "the guest has no function " + std::string(entry));
}

Step CoroutineGuest::resume(Continuation at, Value answer, TaskHost& tasks) {
    GYRE_DEBUG_ASSERT(at != 0, "resume a continuation that this guest returned in a step");
    auto& promise = *reinterpret_cast<EffectfulPromise*>(at);
    if (!promise.accepts(answer)) {
        release(at);
        throw ProtocolError(ErrorKind::encode_failed, std::string("the answer is ") +
                                                          name_of(answer.kind()) +
                                                          ", which is not what the op gives");
    }
    return run(promise, std::move(answer), tasks);
}

// From the innermost outwards in a loop: recursion could overflow the stack.
void CoroutineGuest::release(Continuation at) noexcept {
    auto* promise = reinterpret_cast<EffectfulPromise*>(at);
    while (promise != nullptr) promise = promise->destroy();
}

}  // namespace gyre::effect
