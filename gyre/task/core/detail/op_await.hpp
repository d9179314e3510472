// SPDX-License-Identifier: Apache-2.0
// `co_await perform<ReadOp>("a file", fd, buffer, offset)`: submits one op of the platform and
// gives its result: a number, or the Error. The awaiter is the op, in the frame of the caller. The
// buffers and descriptors of the op belong to the caller until the await ends.
//
// Cancel class: that of the op. A cancelled op did nothing; an op that completed before the request
// reached it gives its result. If its descriptor was closed meanwhile, the result is the Error
// `operation_canceled`.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "gyre/base/result.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre {

// The base of awaiters that are an op. An override of on_complete may submit the op again.
template <class Operation>
class OpSuspension : public Suspension, protected Operation {
public:
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(std::coroutine_handle<> by) noexcept {
        submit();
        wait(by);
    }

    void cancel() noexcept override { executor().cancel(static_cast<Operation&>(*this)); }
    [[nodiscard]] const Op* pending_op() const noexcept override { return this; }

protected:
    template <class... Args>
    explicit OpSuspension(PromiseBase& promise, Args&&... args)
        : Operation(std::forward<Args>(args)...) {
        attach(promise);
    }
    void submit() noexcept { executor().submit_for(*this, *this); }
    // The result of the op, at the end of the await; throws if the await was cancelled.
    [[nodiscard]] Result<std::int32_t> take_result() {
        end();
        if (this->result() < 0) return std::unexpected(this->error());
        return this->result();
    }
};

// The awaiter of `perform`, and the base of those that convert the result.
template <class Operation>
class OpAwait : public OpSuspension<Operation> {
public:
    template <class... Args>
    OpAwait(PromiseBase& promise, const char* what, Args&&... args)
        : OpSuspension<Operation>(promise, std::forward<Args>(args)...), what_(what) {}
    [[nodiscard]] Result<std::int32_t> await_resume() { return this->take_result(); }
    [[nodiscard]] const char* what() const noexcept override { return what_; }

private:
    const char* what_;
};

template <class Operation, class... Args>
class [[nodiscard]] Performed {
public:
    explicit Performed(const char* what, Args... args) : what_(what), args_(std::move(args)...) {}
    [[nodiscard]] OpAwait<Operation> await_in(PromiseBase& promise) && {
        return std::apply(
            [&](Args&... args) { return OpAwait<Operation>(promise, what_, std::move(args)...); },
            args_);
    }

private:
    const char* what_;
    std::tuple<Args...> args_;
};

// `what` names the operation in reports.
template <class Operation, class... Args>
Performed<Operation, Args...> perform(const char* what, Args... args) {
    return Performed<Operation, Args...>(what, std::move(args)...);
}

}  // namespace gyre
