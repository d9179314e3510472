// SPDX-License-Identifier: Apache-2.0
// A program that uses only gy's C interface: function pointers, `data`, and no name of gyre.
#include "tests/uv_slice/gy.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

std::string trace;

template <char Letter>
void note(gy_handle_t*) {
    trace += Letter;
}

class Slice : public testing::Test {
protected:
    Slice() {
        trace.clear();
        EXPECT_EQ(gy_loop_init(&loop), 0);
    }
    ~Slice() override { EXPECT_EQ(gy_loop_close(&loop), 0); }

    gy_loop_t loop{};
};

TEST_F(Slice, runs_an_iteration_in_libuvs_order) {
    gy_handle_t timer;
    gy_handle_t idle;
    gy_handle_t prepare;
    gy_handle_t check;
    gy_handle_t async;
    gy_timer_init(&loop, &timer);
    gy_idle_init(&loop, &idle);
    gy_prepare_init(&loop, &prepare);
    gy_check_init(&loop, &check);
    EXPECT_EQ(gy_async_init(&loop, &async, note<'a'>), 0);
    EXPECT_EQ(gy_timer_start(&timer, note<'t'>, 0, 3'600'000), 0);
    EXPECT_EQ(gy_idle_start(&idle, note<'i'>), 0);
    EXPECT_EQ(gy_prepare_start(&prepare, note<'p'>), 0);
    EXPECT_EQ(gy_check_start(&check, note<'c'>), 0);
    EXPECT_EQ(gy_async_send(&async), 0);
    EXPECT_EQ(gy_run(&loop, GY_RUN_ONCE), 1);
    EXPECT_EQ(trace, "ipact");
    EXPECT_EQ(gy_backend_timeout(&loop), 0);
    gy_idle_stop(&idle);
    EXPECT_GT(gy_backend_timeout(&loop), 0);
    for (gy_handle_t* handle : {&timer, &idle, &prepare, &check, &async})
        gy_close(handle, note<'x'>);
    EXPECT_EQ(gy_is_closing(&timer), 1);
    EXPECT_EQ(gy_run(&loop, GY_RUN_DEFAULT), 0);
    EXPECT_EQ(trace, "ipactxxxxx");
}

TEST_F(Slice, counts_references_and_says_when_it_is_alive) {
    gy_handle_t timer;
    gy_timer_init(&loop, &timer);
    EXPECT_EQ(gy_loop_alive(&loop), 0);
    gy_timer_start(&timer, note<'t'>, 3'600'000, 0);
    EXPECT_EQ(gy_loop_alive(&loop), 1);
    gy_unref(&timer);
    EXPECT_EQ(gy_has_ref(&timer), 0);
    EXPECT_EQ(gy_run(&loop, GY_RUN_DEFAULT), 0);
    EXPECT_EQ(trace, "");
    EXPECT_LT(gy_loop_close(&loop), 0);
    gy_close(&timer, nullptr);
    gy_run(&loop, GY_RUN_DEFAULT);
}

TEST_F(Slice, is_woken_by_another_thread) {
    gy_handle_t async;
    gy_async_init(&loop, &async, [](gy_handle_t* self) {
        ++*static_cast<int*>(self->data);
        gy_close(self, nullptr);
    });
    int calls = 0;
    async.data = &calls;
    std::thread other([&async] { gy_async_send(&async); });
    EXPECT_EQ(gy_run(&loop, GY_RUN_DEFAULT), 0);
    other.join();
    EXPECT_EQ(calls, 1);
}

TEST_F(Slice, repeats_a_timer_until_it_is_stopped) {
    gy_handle_t timer;
    gy_timer_init(&loop, &timer);
    int calls = 0;
    timer.data = &calls;
    EXPECT_LT(gy_timer_again(&timer), 0);
    gy_timer_start(
        &timer,
        [](gy_handle_t* self) {
            if (++*static_cast<int*>(self->data) == 3) gy_timer_stop(self);
        },
        1, 1);
    EXPECT_EQ(gy_run(&loop, GY_RUN_DEFAULT), 0);
    EXPECT_EQ(calls, 3);
    gy_close(&timer, nullptr);
    gy_run(&loop, GY_RUN_DEFAULT);
}

}  // namespace
