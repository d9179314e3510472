// SPDX-License-Identifier: Apache-2.0
// select: waits until at least one of several awaitables has ended, and gives all that have. The
// others are cancelled and awaited. Nothing is lost: a value that came at the same time, or although
// its awaitable was cancelled, is part of the result.
//
//     auto [message, tick] = co_await select(inbox.receive(), sleep(1s));
//     if (message) handle(message.take());     // the item; throws if its await failed
//     if (tick) send_heartbeat();              // both may be true
//
// Thread: one executor's thread.
// Lifetime: the awaitables are moved in, and end before the await does; an lvalue is awaited where
// it is. A task whose handle is given as an lvalue goes on.
// Cancel: is passed on to every awaitable; if one has ended with a value, that is the result, and
// the request is delivered at the next await.
//
// All awaitables begin before any is given up, so one that is always ready does not starve those
// after it.
#pragma once

#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include "gyre/task/combine/detail/gather.hpp"

namespace gyre {

// How one of the awaitables of a select has ended, if it has. Move-only.
template <class T>
class Selected {
public:
    Selected() noexcept = default;
    // `outcome` is settled.
    explicit Selected(Outcome<T>& outcome) : failure_(outcome.failure()) {
        if (failure_ == nullptr) value_.emplace(take_kept(outcome));
    }
    Selected(Selected&&) noexcept = default;
    Selected& operator=(Selected&&) noexcept = default;

    // Whether it has ended, with a value or a failure.
    [[nodiscard]] explicit operator bool() const noexcept {
        return value_.has_value() || failure_ != nullptr;
    }
    [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_; }
    // The value, or throws the failure. Only if it has ended.
    T take() {
        GYRE_ASSERT(*this, "this awaitable of a select has not ended: look at it with if");
        if (failure_ != nullptr) std::rethrow_exception(failure_);
        if constexpr (!std::is_void_v<T>) return std::move(*value_);
    }

private:
    std::optional<Kept<T>> value_;
    std::exception_ptr failure_;
};

template <class T>
[[nodiscard]] Selected<T> selected_of(TaskHandle<T>& task) {
    const bool is_given_up = task.was_cancelled() && task.is_cancel_requested();
    return is_given_up ? Selected<T>() : Selected<T>(task.outcome());
}

template <class... T>
Future<std::tuple<Selected<T>...>> select_in_tuple(std::tuple<Future<T>...> futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "select", [](const Tally& /*tally*/) noexcept { return true; });
    gather.set_all_seen();
    auto tasks = std::apply(
        [&gather](auto&... future) {
            return std::tuple<TaskHandle<T>...>{gather.begin(std::move(future))...};
        },
        futures);
    gather.decide();
    co_await gather.ended();
    auto ends = std::apply(
        [](auto&... task) { return std::tuple<Selected<T>...>{selected_of(task)...}; }, tasks);
    const bool has_one =
        std::apply([](const auto&... end) { return (static_cast<bool>(end) || ...); }, ends);
    if (!has_one) co_await cancel_point();
    co_return ends;
}

template <class... A>
[[nodiscard]] auto select(A&&... awaitables) {
    static_assert(sizeof...(A) > 0, "a select of nothing would never end");
    if constexpr (check_awaitable<A...>()) {
        return select_in_tuple<AwaitValue<A>...>({as_future(std::forward<A>(awaitables))...});
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
