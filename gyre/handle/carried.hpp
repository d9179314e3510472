// SPDX-License-Identifier: Apache-2.0
// Carried<T>: the result of an operation that may have been called on a foreign thread. On the
// loop's own thread it is there at once; elsewhere the call is carried to the loop, in the order in
// which that thread made its calls, and `get` waits for it. Dropping a Carried does not take the
// call back. Each Carried belongs to the thread that got it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "gyre/base/intrusive.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre::handle {

using Status = Result<void>;

// Where the result of one carried call is left. Two own it, the caller and the call; the last to
// leave frees it. Both threads may touch it, under its mutex.
template <class T>
class CarriedState {
public:
    void put(T value) {
        const std::lock_guard lock(mutex_);
        value_.emplace(std::move(value));
        came_.notify_one();
    }
    [[nodiscard]] T take() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [this] { return value_.has_value(); });
        return std::move(*value_);
    }
    [[nodiscard]] bool is_there() {
        const std::lock_guard lock(mutex_);
        return value_.has_value();
    }
    static void leave(CarriedState* state) noexcept {
        bool is_last = false;
        {
            const std::lock_guard lock(state->mutex_);
            is_last = --state->owner_count_ == 0;
        }
        if (is_last) delete state;
    }

private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::optional<T> value_;
    int owner_count_ = 2;
};

template <class T>
class Carried {
public:
    Carried(T value) : value_(std::move(value)) {}  // implicit: the usual case on the own thread
    explicit Carried(CarriedState<T>& state) noexcept : state_(&state) {}
    Carried(Carried&& other) noexcept
        : value_(std::move(other.value_)), state_(std::exchange(other.state_, nullptr)) {}
    Carried& operator=(Carried&&) = delete;
    ~Carried() {
        if (state_ != nullptr) CarriedState<T>::leave(state_);
    }

    [[nodiscard]] bool is_there() const { return state_ == nullptr || state_->is_there(); }

    // Once. From a foreign thread it waits until the loop has carried the call out: so somebody
    // must be running the loop. The error `owner_dead` when the loop was closed before.
    T get() { return state_ == nullptr ? std::move(*value_) : state_->take(); }

private:
    std::optional<T> value_;
    CarriedState<T>* state_ = nullptr;
};

struct CarriedLinks;

// A call on its way to the loop: an op without an initiator. Made by the foreign thread, run and
// freed by the loop's.
class CarriedCall : public gyre::Request, public Link<CarriedLinks> {
public:
    CarriedCall() noexcept : Request(OpCode::post) {}
    virtual ~CarriedCall() = default;
    virtual void run() noexcept = 0;
    // Instead of run, when the loop is closed.
    virtual void refuse() noexcept = 0;
};

// What a function's result looks like once it may have failed to reach the loop.
template <class T>
struct CarriedResult {
    using Type = Result<T>;
};
template <class T>
struct CarriedResult<Result<T>> {
    using Type = Result<T>;
};

template <class Function>
class FunctionCall final : public CarriedCall {
public:
    using Returned = std::invoke_result_t<Function&>;
    using Value = typename CarriedResult<Returned>::Type;

    FunctionCall(Function function, CarriedState<Value>& state)
        : function_(std::move(function)), state_(&state) {}
    ~FunctionCall() override { CarriedState<Value>::leave(state_); }

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
    CarriedState<Value>* state_;
};

}  // namespace gyre::handle
