// SPDX-License-Identifier: Apache-2.0
// The end of stream.hpp, which includes it: chains. Each is a coroutine that owns its source, and
// closes it on every way out.
#pragma once

#include <utility>
#include <vector>

#include "gyre/task/stream/stream.hpp"

namespace gyre {

// The result of one step of a chain: a value or none, and whether it is the last.
template <class U>
struct Piped {
    std::optional<U> value;
    bool is_last = false;
};

// Calls `step` with each value of the source, and yields the results: a Piped<U>, or a future of
// it.
template <class U, class T, class F>
Stream<U> pipe(Stream<T> source, F step) {
    std::exception_ptr failure;
    try {
        while (auto value = co_await source.next()) {
            Piped<U> piped;
            if constexpr (Awaitable<std::invoke_result_t<F&, T>>) {
                piped = co_await step(*std::move(value));
            } else {
                piped = step(*std::move(value));
            }
            if (piped.value.has_value()) co_yield *std::move(piped.value);
            if (piped.is_last) break;
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await source.aclose();
    if (failure != nullptr) std::rethrow_exception(failure);
}

template <class T, class F>
Future<void> for_each_of(Stream<T> source, F function) {
    std::exception_ptr failure;
    try {
        while (auto value = co_await source.next()) {
            if constexpr (Awaitable<std::invoke_result_t<F&, T>>) {
                co_await function(*std::move(value));
            } else {
                function(*std::move(value));
            }
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await source.aclose();
    if (failure != nullptr) std::rethrow_exception(failure);
}

template <class T>
Future<std::vector<T>> collect_all(Stream<T> source) {
    std::vector<T> values;
    while (auto value = co_await source.next()) values.push_back(*std::move(value));
    co_return values;
}

template <class T>
Stream<T> nothing_of(Stream<T> source) {
    co_await source.aclose();
}

template <class T>
template <class F>
auto Stream<T>::map(F function) && {
    using Made = std::invoke_result_t<F&, T>;
    if constexpr (Awaitable<Made>) {
        using U = typename Made::value_type;
        return pipe<U>(std::move(*this),
                       [function = std::move(function)](T value) mutable -> Future<Piped<U>> {
                           co_return Piped<U>{co_await function(std::move(value))};
                       });
    } else {
        return pipe<Made>(std::move(*this),
                          [function = std::move(function)](T value) mutable -> Piped<Made> {
                              return {function(std::move(value))};
                          });
    }
}
template <class T>
template <class F>
Stream<T> Stream<T>::filter(F function) && {
    return pipe<T>(std::move(*this), [function = std::move(function)](T value) mutable -> Piped<T> {
        if (!function(std::as_const(value))) return {};
        return {std::move(value)};
    });
}
template <class T>
Stream<T> Stream<T>::take(std::size_t count) && {
    if (count == 0) return nothing_of(std::move(*this));
    return pipe<T>(std::move(*this), [left = count](T value) mutable -> Piped<T> {
        return {std::move(value), --left == 0};
    });
}
template <class T>
template <class F>
Future<void> Stream<T>::for_each(F function) && {
    return for_each_of(std::move(*this), std::move(function));
}
template <class T>
Future<std::vector<T>> Stream<T>::collect() && {
    return collect_all(std::move(*this));
}

}  // namespace gyre
