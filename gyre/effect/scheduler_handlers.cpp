// SPDX-License-Identifier: Apache-2.0
// How the handler of a request is found and called: a plain function, an async function, or a
// function that takes a Reply.
#include <utility>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/effect/internal/completion.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

// Inlines what follows a plain handler's answer: the way of most steps.
[[gnu::flatten]] void Scheduler::find_and_ask(RunTask& task, Arguments& arguments) {
    if (task.handler == nullptr) task.handler = task.run.handlers.find(*task.op);
    if (task.handler == nullptr) {
        fail_unhandled(task);
        return;
    }
    try {
        ask(*task.handler, task, arguments);
    } catch (...) {
        // The exception is the answer. A Reply that the handler was given is withdrawn.
        if (task.is_live() && task.waits_for != nullptr) task.waits_for->withdraw();
        accept_failure(task, std::current_exception());
    }
}

[[gnu::cold, gnu::noinline]] void Scheduler::fail_unhandled(RunTask& task) {
    const bool has_others = task.run.handlers.has_other_signature(*task.op);
    fail(task, {.kind = ErrorKind::unhandled_effect,
                .message = "Unhandled effect " + task.op->name() +
                           (has_others ? ": it has handlers for other signatures" : ""),
                .cause = nullptr});
}

GYRE_ALWAYS_INLINE void Scheduler::ask(Handler& handler, RunTask& task, Arguments& arguments) {
    task.wait_for(nullptr);
    switch (handler.style()) {
        case Handler::Style::plain: {
            Context context(task);
            accept(task, handler.call(context, arguments));
            return;
        }
        case Handler::Style::async:
            ask_async(handler, task, arguments);
            return;
        case Handler::Style::reply: {
            auto* pending = new PendingReply(task);
            task.waits_for = pending;
            Context context(task);
            handler.take(context, arguments, Reply(*this, *pending));
            return;
        }
    }
}

[[gnu::noinline]] void Scheduler::ask_async(Handler& handler, RunTask& task, Arguments& arguments) {
    auto work = std::make_unique<HandlerTask>(*scope_, task);
    work->ask(handler, arguments);
    if (task.is_live()) {
        task.waits_for = work.get();
    } else {  // The handler itself ended the task.
        work->withdraw();
    }
    if (!work->begin()) {
        static_cast<void>(work.release());
    } else if (work->is_late()) {
        return;
    } else if (work->outcome().has_value()) {
        accept(task, work->outcome().take());
    } else {
        accept_failure(task, work->outcome().failure());
    }
}

}  // namespace gyre::effect
