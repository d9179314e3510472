// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/coroutine_guest.hpp"

namespace gyre::effect {

// From the innermost outwards: a deep chain must not be destroyed by recursion.
Strand::~Strand() {
    EffectfulPromise* promise = next != nullptr ? next : root;
    while (promise != nullptr) promise = promise->destroy();
}

EffectfulPromise* EffectfulPromise::destroy() noexcept {
    EffectfulPromise* parent = parent_;
    if (holder_ != nullptr) holder_->promise_ = nullptr;
    handle().destroy();
    return parent;
}

// Resumes one coroutine after the other until one performs something or the outermost has ended.
Step CoroutineGuest::run(Strand& strand, Value answer, TaskHost& tasks) {
    Step step;
    Visit visit{.tasks = tasks, .step = step, .answer = std::move(answer)};
    strand.visit = &visit;
    do {
        std::exchange(strand.next, nullptr)->resume();
    } while (step.continuation == 0 && strand.next != nullptr);
    if (step.continuation == 0) {
        const std::unique_ptr<Strand> ended(&strand);
        strand.finish(strand);
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
        return run(*one.begin(arguments).release(), Value(), tasks);
    }
    throw ProtocolError(ErrorKind::unknown_export,
                        "the guest has no function " + std::string(entry));
}

Step CoroutineGuest::resume(Continuation at, Value answer, TaskHost& tasks) {
    auto& strand = *reinterpret_cast<Strand*>(at);
    if (strand.accepts != nullptr && !strand.accepts(answer)) {
        release(at);
        throw ProtocolError(ErrorKind::encode_failed, std::string("the answer is ") +
                                                          name_of(answer.kind()) +
                                                          ", which is not what the op gives");
    }
    strand.accepts = nullptr;
    return run(strand, std::move(answer), tasks);
}

void CoroutineGuest::release(Continuation at) noexcept {
    delete reinterpret_cast<Strand*>(at);
}

}  // namespace gyre::effect
