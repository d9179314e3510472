// SPDX-License-Identifier: Apache-2.0
// `co_await shield(future)`: runs the future to its end, whatever is asked of the task meanwhile. A
// cancel request that comes in the meantime is delivered at the next await after it.
#pragma once

#include "gyre/task/future.hpp"

namespace gyre {

template <class T>
class ShieldAwait : public ChildAwait<T> {
public:
    using ChildAwait<T>::ChildAwait;
    [[nodiscard]] bool await_ready() noexcept {
        this->child_->task().enter_shield();
        return ChildAwait<T>::await_ready();
    }
    T await_resume() {
        this->slot_.parent()->task().leave_shield();
        return ChildAwait<T>::await_resume();
    }
};

template <class T>
class [[nodiscard]] Shielded {
public:
    explicit Shielded(Future<T> future) noexcept : future_(std::move(future)) {}
    [[nodiscard]] ShieldAwait<T> await_in(PromiseBase& parent) && noexcept {
        return ShieldAwait<T>(parent, future_.release());
    }

private:
    Future<T> future_;
};

template <class T>
Shielded<T> shield(Future<T> future) noexcept {
    return Shielded<T>(std::move(future));
}

}  // namespace gyre
