// SPDX-License-Identifier: Apache-2.0
// `co_await await_outcome(outcome, future)`: awaits the future and writes what became of it to the
// outcome, whatever it is; it throws nothing. For code that passes outcomes on. The outcome belongs
// to the caller.
#pragma once

#include "gyre/task/core/future.hpp"

namespace gyre {

template <class T>
class OutcomeAwait : public ChildAwait<T> {
public:
    OutcomeAwait(PromiseBase& parent, Future<T> future, Outcome<T>& into) noexcept
        : ChildAwait<T>(parent, future.release()), into_(into) {}
    void await_resume() noexcept {
        Outcome<T>& from = this->slot_.outcome;
        if (from.has_error()) {
            into_.set_error(from.error());
        } else if (std::exception_ptr exception = from.failure()) {
            into_.set_exception(std::move(exception));
        } else if constexpr (std::is_void_v<T>) {
            into_.set_value();
        } else {
            into_.set_value(from.take());
        }
    }

private:
    Outcome<T>& into_;
};

template <class T>
class [[nodiscard]] AwaitOutcome {
public:
    AwaitOutcome(Outcome<T>& into, Future<T> future) noexcept
        : into_(into), future_(std::move(future)) {}
    [[nodiscard]] OutcomeAwait<T> await_in(PromiseBase& parent) && noexcept {
        return OutcomeAwait<T>(parent, std::move(future_), into_);
    }

private:
    Outcome<T>& into_;
    Future<T> future_;
};
template <class T>
AwaitOutcome<T> await_outcome(Outcome<T>& into, Future<T> future) noexcept {
    return AwaitOutcome<T>(into, std::move(future));
}

}  // namespace gyre
