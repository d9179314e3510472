// SPDX-License-Identifier: Apache-2.0
// For tests of calls from threads that do not run the loop.
#pragma once

#include <atomic>
#include <thread>

#include "compat/uv/handle_kit.test.hpp"

namespace gyre::uv::test {

// A loop that another thread runs until the test is over.
class UvCarried : public testing::Test {
protected:
    UvCarried() {
        EXPECT_EQ(uv_loop_init(&loop), 0);
        EXPECT_EQ(uv_async_init(&loop, &keeper, close_all), 0);
        keeper.data = &loop;
    }
    ~UvCarried() override { EXPECT_EQ(uv_loop_close(&loop), 0) << "a handle was not closed"; }

    void start() {
        std::atomic<bool> is_running{false};
        uv_prepare_t prepare;
        EXPECT_EQ(uv_prepare_init(&loop, &prepare), 0);
        prepare.data = &is_running;
        EXPECT_EQ(uv_prepare_start(&prepare,
                                   [](uv_prepare_t* handle) {
                                       uv_close(reinterpret_cast<uv_handle_t*>(handle), tell);
                                   }),
                  0);
        runner = std::thread([this] { EXPECT_EQ(uv_run(&loop, UV_RUN_DEFAULT), 0); });
        while (!is_running.load()) std::this_thread::yield();
    }
    // Closes what the test left open, and ends the loop.
    void finish() {
        EXPECT_EQ(uv_async_send(&keeper), 0);
        runner.join();
    }
    static void tell(uv_handle_t* handle) {
        static_cast<std::atomic<bool>*>(handle->data)->store(true);
    }
    static void close_all(uv_async_t* async) {
        uv_walk(
            static_cast<uv_loop_t*>(async->data),
            [](uv_handle_t* handle, void*) {
                if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
            },
            nullptr);
    }
    static void wait_for(const std::atomic<int>& count, int wanted) {
        while (count.load() < wanted) std::this_thread::yield();
    }

    uv_loop_t loop{};
    uv_async_t keeper{};
    std::thread runner;
};

}  // namespace gyre::uv::test
