// SPDX-License-Identifier: Apache-2.0
// ForeignCalls: the calls from foreign threads that are on their way to a PhasedLoop. Any thread
// sends; only the loop's thread runs and refuses them. Part of the loop. The kernel's inbox keeps
// their order and wakes the loop; the list here only tracks the calls in flight.
#pragma once

#include <cstddef>
#include <mutex>
#include <type_traits>
#include <utility>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/handle/handle.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {
class Loop;
}

namespace gyre::handle {

struct CallLinks;

// A call on its way to the loop: an op without an initiator. The foreign thread makes it, the
// loop's thread runs and frees it.
class ForeignCall : public gyre::Request, public Link<CallLinks> {
public:
    ForeignCall() noexcept : Request(OpCode::post) {}
    virtual ~ForeignCall() = default;
    virtual void run() noexcept = 0;
    // Instead of run, when the loop is closed.
    virtual void refuse() noexcept = 0;
};

// The result of a function whose call may fail to reach the loop.
template <class T>
struct CallValue {
    using Type = Result<T>;
};
template <class T>
struct CallValue<Result<T>> {
    using Type = Result<T>;
};

template <class Function>
class FunctionCall final : public ForeignCall {
public:
    using Returned = std::invoke_result_t<Function&>;
    using Value = typename CallValue<Returned>::Type;

    FunctionCall(Function function, CallState<Value>& state)
        : function_(std::move(function)), state_(&state) {}
    ~FunctionCall() override { CallState<Value>::leave(state_); }

    static Value value_of(Function& function) {
        if constexpr (std::is_void_v<Returned>) {
            function();
            return {};
        } else {
            return function();
        }
    }
    void run() noexcept override { state_->put(value_of(function_)); }
    void refuse() noexcept override {
        state_->put(Value(std::unexpected(Error(std::errc::owner_dead))));
    }

private:
    Function function_;
    CallState<Value>* state_;
};

class ForeignCalls {
public:
    explicit ForeignCalls(std::size_t count_max) noexcept : count_max_(count_max) {}
    // Takes ownership of the call. False: count_max calls are on their way, and this one is freed.
    [[nodiscard]] bool send(Loop& kernel, ForeignCall& call) noexcept;
    // Runs a call that the kernel has delivered; the caller frees it.
    void run(ForeignCall& call) noexcept;
    // After the kernel has closed: fails the calls that were not delivered with `owner_dead`.
    void refuse_all() noexcept;

    // In the child of a fork().
    void renew_after_fork() noexcept;

private:
    const std::size_t count_max_;
    std::mutex mutex_;
    Queue<ForeignCall, CallLinks> in_flight_;
    std::size_t count_ = 0;
};

}  // namespace gyre::handle
