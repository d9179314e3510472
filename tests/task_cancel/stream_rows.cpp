// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for streams.
#include <gtest/gtest.h>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/stream/merge.hpp"
#include "gyre/task/stream/stream.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

// Generators that have begun and not cleaned up yet: none may be left at the end.
class Open {
public:
    explicit Open(Stage& stage) : count_(stage.make<int>(0)) {
        stage.afterwards([&count = count_] { EXPECT_EQ(count, 0); });
    }
    // Cleans up with an await, whatever way it is left.
    [[nodiscard]] Stream<int> numbers(int last) const { return run(last, count_); }

private:
    static Stream<int> run(int last, int& count) {
        ++count;
        std::exception_ptr failure;
        try {
            for (int i = 1; i <= last; ++i) {
                co_await sleep(1ms);
                co_yield i;
            }
        } catch (...) {
            failure = std::current_exception();
        }
        co_await shield(nap());
        --count;
        if (failure != nullptr) std::rethrow_exception(failure);
    }
    static Future<void> nap() { co_await sleep(1ms); }

    int& count_;
};

Future<void> reads_a_stream(Stage& stage) {
    const Open open(stage);
    auto stream = open.numbers(2);
    int sum = 0;
    while (auto number = co_await stream.next()) sum += *number;
    EXPECT_EQ(sum, 3);
}

// The step that is given up goes on, and is ended with its stream.
Future<void> gives_up_a_step(Stage& stage) {
    const Open open(stage);
    auto stream = open.numbers(3);
    const auto late = co_await try_(timeout(stream.next(), 500us));
    EXPECT_FALSE(late.has_value());
    EXPECT_EQ(*co_await stream.next(), 1);
    const auto late_again = co_await try_(timeout(stream.next(), 500us));
    EXPECT_FALSE(late_again.has_value());
}

Future<void> closes_a_stream(Stage& stage) {
    const Open open(stage);
    auto stream = open.numbers(5);
    EXPECT_EQ(*co_await stream.next(), 1);
    co_await stream.aclose();
}

Future<void> drops_a_stream(Stage& stage) {
    const Open open(stage);
    auto stream = open.numbers(5);
    EXPECT_EQ(*co_await stream.next(), 1);
}

Future<void> chains_streams(Stage& stage) {
    const Open open(stage);
    auto odd = open.numbers(9).filter([](int number) { return number % 2 == 1; });
    auto stream = std::move(odd).map([](int number) { return number * 10; }).take(2);
    EXPECT_EQ(*co_await stream.next(), 10);
    EXPECT_EQ(*co_await stream.next(), 30);
    EXPECT_FALSE((co_await stream.next()).has_value());
}

Future<void> collects_a_stream(Stage& stage) {
    const Open open(stage);
    const std::vector<int> values = co_await open.numbers(2).collect();
    EXPECT_EQ(values, (std::vector{1, 2}));
    int sum = 0;
    co_await open.numbers(2).for_each([&sum](int number) { sum += number; });
    EXPECT_EQ(sum, 3);
}

Future<void> merges_streams(Stage& stage) {
    const Open open(stage);
    auto stream = merge(open.numbers(2), open.numbers(1));
    int sum = 0;
    while (auto number = co_await stream.next()) sum += *number;
    EXPECT_EQ(sum, 4);
}

}  // namespace

std::vector<Program> stream_rows() {
    return {
        {"reads_a_stream", {"Stream"}, reads_a_stream},
        {"gives_up_a_step", {"Stream"}, gives_up_a_step},
        {"closes_a_stream", {"Stream"}, closes_a_stream},
        {"drops_a_stream", {"Stream"}, drops_a_stream},
        {"chains_streams", {"Stream"}, chains_streams},
        {"collects_a_stream", {"Stream"}, collects_a_stream},
        {"merges_streams", {"Merge", "merge"}, merges_streams},
    };
}

}  // namespace gyre::task_cancel
