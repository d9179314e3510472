// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for what leaves the executor: other threads and other loops,
// here simulated on one thread. A call to the own executor takes the same way as one to another.
#include <gtest/gtest.h>

#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/task/thread/canceller.hpp"
#include "gyre/task/thread/on.hpp"
#include "gyre/task/thread/thread_channel.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

// A call is made or not; what is made has its value.
Future<void> blocks(Stage& stage) {
    int& made = stage.make<int>(0);
    const auto add = [&made] { return ++made; };
    EXPECT_EQ(co_await blocking(add), 1);
    EXPECT_EQ(co_await compute(add), 2);
}

Future<void> takes_a_stop_token(Stage& /*stage*/) {
    const std::stop_token token = co_await this_stop_token();
    const Task& self = co_await this_task();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(token.stop_requested(), self.is_cancel_requested());
        co_await sleep(1ms);
    }
}

Future<int> double_later(int value) {
    co_await sleep(1ms);
    co_return 2 * value;
}

Future<void> calls_elsewhere(Stage& stage) {
    EXPECT_EQ(co_await on(stage.loop.app_ref(), double_later, 4), 8);
}

Future<void> sends_between_threads(Stage& stage) {
    auto& channel = stage.make<ThreadChannel<int>>(2u);
    int& sent = stage.make<int>(0);
    int& received = stage.make<int>(0);
    stage.afterwards([&] { EXPECT_EQ(sent, received); });
    stage.helper([&]() -> Future<void> {
        while (co_await channel.receive()) {
            ++received;
            co_await sleep(1ms);
        }
    });
    const auto close = [&channel](int*) { channel.close(); };
    const std::unique_ptr<int, decltype(close)> closing(&received, close);
    for (int i = 0; i < 4; ++i) {
        co_await channel.send(i);
        ++sent;
    }
}

Future<void> receives_between_threads(Stage& stage) {
    auto& channel = stage.make<ThreadChannel<int>>(2u);
    int& sent = stage.make<int>(0);
    int& received = stage.make<int>(0);
    stage.afterwards([&] {
        while (channel.try_receive()) ++received;
        EXPECT_EQ(sent, received);
    });
    stage.helper([&]() -> Future<void> {
        for (int i = 0; i < 3; ++i) {
            co_await sleep(1ms);
            if (channel.try_send(int(i))) ++sent;
        }
        channel.close();
    });
    while (auto item = co_await channel.receive()) ++received;
}

}  // namespace

std::vector<Program> thread_rows() {
    return {
        {"blocks", {"Blocking", "blocking", "compute"}, blocks},
        {"takes_a_stop_token", {"ThisStopToken", "this_stop_token"}, takes_a_stop_token},
        {"calls_elsewhere", {"On", "on"}, calls_elsewhere},
        {"sends_between_threads", {"ThreadChannel"}, sends_between_threads},
        {"receives_between_threads", {"ThreadChannel"}, receives_between_threads},
    };
}

}  // namespace gyre::task_cancel
