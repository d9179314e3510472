// SPDX-License-Identifier: Apache-2.0
// fork_join, invoke_all, parallel_for: run functions in parallel on Workers, and return when all
// have returned. Calls nest; nothing is allocated.
//
//     std::vector<int> squares(100'000);
//     pool::parallel_for({.end = squares.size()}, 4096, [&](std::size_t i) {
//         squares[i] = static_cast<int>(i % 100 * (i % 100));
//     });
//     auto [left, right] = pool::fork_join([] { return 1; }, [] { return 2; });
//
// Thread: on a thread of Workers the functions run in parallel; on any other thread they run one
// after the other, with the same results.
// Lifetime: the functions and what they refer to need to live only until the call returns.
// Errors: an exception of the first function is rethrown, else that of the second. By then the
// other function has returned, or it never starts.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "gyre/pool/detail/worker.hpp"

namespace gyre::pool {

namespace detail {

template <class Function>
using Value = std::conditional_t<std::is_void_v<std::invoke_result_t<Function&>>, std::monostate,
                                 std::invoke_result_t<Function&>>;

template <class Function>
Value<Function> call(Function& function) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
        std::invoke(function);
        return {};
    } else {
        return std::invoke(function);
    }
}

// The second function, which may be stolen. The destructor joins it.
template <class Function>
class Fork : public ForkedTask {
public:
    Fork(Worker& worker, Function& function) noexcept
        : ForkedTask(run), worker_(worker), function_(function), is_forked_(worker.fork(*this)) {}
    ~Fork() {
        // The first function threw: the result is not needed, and an unstolen fork never runs.
        if (is_forked_ && !worker_.take_back(*this)) worker_.wait_for(*this);
    }

    Value<Function> join() {
        if (!std::exchange(is_forked_, false) || worker_.take_back(*this)) return call(function_);
        worker_.wait_for(*this);
        if (error_ != nullptr) std::rethrow_exception(error_);
        return std::move(*value_);
    }

private:
    static void run(ForkedTask& task) noexcept {
        auto& fork = static_cast<Fork&>(task);
        try {
            fork.value_.emplace(call(fork.function_));
        } catch (...) {
            fork.error_ = std::current_exception();
        }
    }

    Worker& worker_;
    Function& function_;
    std::optional<Value<Function>> value_;
    std::exception_ptr error_;
    bool is_forked_;
};

}  // namespace detail

// Returns both values; std::monostate stands for void.
template <class First, class Second>
std::pair<detail::Value<First>, detail::Value<Second>> fork_join(First&& first, Second&& second) {
    using Both = std::pair<detail::Value<First>, detail::Value<Second>>;
    Worker* worker = Worker::current();
    if (worker == nullptr) {
        auto one = detail::call(first);
        return Both(std::move(one), detail::call(second));
    }
    detail::Fork fork(*worker, second);
    auto one = detail::call(first);
    return Both(std::move(one), fork.join());
}

// fork_join for any number of functions that return void.
template <class First>
void invoke_all(First&& first) {
    std::invoke(first);
}
template <class First, class... Others>
void invoke_all(First&& first, Others&&... others) {
    fork_join([&]() -> void { std::invoke(first); }, [&]() -> void { invoke_all(others...); });
}

struct IndexRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Calls body(i) for every index of the range, in parallel chunks of at most `grain` indices. A
// chunk should take some microseconds. After an exception, some chunks may never start.
template <class Body>
void parallel_for(IndexRange range, std::size_t grain, const Body& body) {
    GYRE_ASSERT(grain > 0, "a grain of 0 would be split for ever: pass at least 1");
    if (range.end - range.begin <= grain || range.begin >= range.end) {
        for (std::size_t i = range.begin; i < range.end; ++i) body(i);
        return;
    }
    const std::size_t middle = range.begin + (range.end - range.begin) / 2;
    fork_join([&]() -> void { parallel_for({range.begin, middle}, grain, body); },
              [&]() -> void { parallel_for({middle, range.end}, grain, body); });
}

}  // namespace gyre::pool
