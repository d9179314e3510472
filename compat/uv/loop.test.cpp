// SPDX-License-Identifier: Apache-2.0
// The loop, timers, hooks, async handles, signals, polls, and work on the pool.
#include <netdb.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

using UvRun = UvLoop;
using UvTimer = UvLoop;
using UvHooks = UvLoop;
using UvAsync = UvLoop;
using UvSignal = UvLoop;
using UvPoll = UvLoop;
using UvWork = UvLoop;

void count(void* data) {
    ++*static_cast<int*>(data);
}

TEST_F(UvRun, ends_at_once_when_nothing_is_active) {
    EXPECT_EQ(uv_loop_alive(&loop), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_GE(uv_backend_fd(&loop), 0);
    EXPECT_EQ(uv_backend_timeout(&loop), 0);
    uv_loop_set_data(&loop, this);
    EXPECT_EQ(uv_loop_get_data(&loop), this);
}

TEST(UvDefaultLoop, is_one_and_can_be_closed) {
    uv_loop_t* loop = uv_default_loop();
    ASSERT_NE(loop, nullptr);
    EXPECT_EQ(uv_default_loop(), loop);
    EXPECT_EQ(uv_run(loop, UV_RUN_DEFAULT), 0);
    EXPECT_EQ(uv_loop_close(loop), 0);
    uv_loop_t* made = uv_loop_new();
    ASSERT_NE(made, nullptr);
    uv_loop_delete(made);
}

TEST_F(UvRun, is_alive_while_a_referenced_handle_is_active) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    EXPECT_EQ(uv_loop_close(&loop), UV_EBUSY);
    EXPECT_EQ(uv_loop_alive(&loop), 0);
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t*) {}, 60'000, 0), 0);
    EXPECT_EQ(uv_is_active(base(timer)), 1);
    EXPECT_EQ(uv_loop_alive(&loop), 1);
    EXPECT_EQ(uv_has_ref(base(timer)), 1);
    uv_unref(base(timer));
    uv_unref(base(timer));
    EXPECT_EQ(uv_has_ref(base(timer)), 0);
    EXPECT_EQ(uv_loop_alive(&loop), 0);
    uv_ref(base(timer));
    EXPECT_EQ(uv_loop_alive(&loop), 1);
    EXPECT_EQ(run(UV_RUN_NOWAIT), 1);
    EXPECT_GT(uv_backend_timeout(&loop), 50'000);
    close(timer);
    EXPECT_EQ(uv_is_closing(base(timer)), 1);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(uv_is_active(base(timer)), 0);
}

TEST_F(UvRun, calls_the_close_callback_later_and_once) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    int closed = 0;
    timer.data = &closed;
    uv_close(base(timer), [](uv_handle_t* handle) { count(handle->data); });
    EXPECT_EQ(closed, 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(closed, 1);
}

TEST_F(UvRun, is_stopped_after_its_iteration) {
    uv_idle_t idle;
    ASSERT_EQ(uv_idle_init(&loop, &idle), 0);
    ASSERT_EQ(uv_idle_start(&idle, [](uv_idle_t* handle) { uv_stop(handle->loop); }), 0);
    EXPECT_EQ(run(), 1);
    close(idle);
    run();
}

TEST_F(UvRun, shows_its_handles) {
    uv_timer_t timer;
    uv_idle_t idle;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    ASSERT_EQ(uv_idle_init(&loop, &idle), 0);
    ASSERT_EQ(uv_idle_start(&idle, [](uv_idle_t*) {}), 0);
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* stream = ::open_memstream(&text, &size);
    uv_print_all_handles(&loop, stream);
    uv_print_active_handles(&loop, stream);
    std::fclose(stream);
    const std::string shown(text, size);
    std::free(text);
    EXPECT_EQ(shown.find("[R--] timer"), 0u) << shown;
    EXPECT_EQ(shown.find("[RA-] idle"), shown.find('\n') + 1) << shown;
    EXPECT_NE(shown.rfind("[RA-] idle"), shown.find("[RA-] idle"));
    EXPECT_EQ(uv_handle_get_type(base(idle)), UV_IDLE);
    EXPECT_EQ(uv_handle_get_loop(base(idle)), &loop);
    uv_handle_set_data(base(idle), this);
    EXPECT_EQ(uv_handle_get_data(base(idle)), this);
    int visited = 0;
    const auto visit = [](uv_handle_t* handle, void* argument) {
        count(argument);
        uv_close(handle, nullptr);
    };
    uv_walk(&loop, visit, &visited);
    EXPECT_EQ(visited, 2);
    run();
}

TEST_F(UvRun, tells_what_it_did) {
    uv_metrics_t metrics{};
    ASSERT_EQ(uv_loop_configure(&loop, UV_METRICS_IDLE_TIME), 0);
    EXPECT_EQ(uv_metrics_idle_time(&loop), 0u);
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t*) {}, 5, 0), 0);
    run();
    ASSERT_EQ(uv_metrics_info(&loop, &metrics), 0);
    EXPECT_GE(metrics.loop_count, 1u);
    EXPECT_GE(uv_metrics_idle_time(&loop), 1'000'000u);
    close(timer);
    run();
}

// A wake that was there before the wait, of two.
TEST_F(UvRun, tells_how_many_events_waited) {
    ASSERT_EQ(uv_loop_configure(&loop, UV_METRICS_IDLE_TIME), 0);
    uv_async_t woken;
    ASSERT_EQ(uv_async_init(&loop, &woken, [](uv_async_t*) {}), 0);
    ASSERT_EQ(uv_async_send(&woken), 0);
    run(UV_RUN_ONCE);
    uv_metrics_t metrics{};
    ASSERT_EQ(uv_metrics_info(&loop, &metrics), 0);
    EXPECT_EQ(metrics.events, 1u);
    EXPECT_EQ(metrics.events_waiting, 1u);
    close(woken);
    run();
}

TEST_F(UvRun, has_settings) {
    EXPECT_EQ(uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGPROF), 0);
    EXPECT_EQ(uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGINT), UV_EINVAL);
}

// clause: L30
TEST_F(UvRun, goes_on_in_a_forked_child) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    int fired = 0;
    timer.data = &fired;
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t* handle) { count(handle->data); }, 5, 0), 0);
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        const bool is_renewed = uv_loop_fork(&loop) == 0;
        const bool is_run = is_renewed && uv_run(&loop, UV_RUN_DEFAULT) == 0 && fired == 1;
        ::_exit(is_run ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(fired, 1);
    close(timer);
    run();
}

// clause: L30
TEST_F(UvRun, is_made_in_one_thread_and_run_in_another) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    int fired = 0;
    timer.data = &fired;
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t* handle) { count(handle->data); }, 1, 0), 0);
    std::thread runner([this] { EXPECT_EQ(run(), 0); });
    runner.join();
    EXPECT_EQ(fired, 1);
    close(timer);
    run();
}

// clause: L17
TEST_F(UvRun, takes_closes_and_starts_from_another_thread) {
    uv_async_t keeper;
    uv_timer_t timer;
    ASSERT_EQ(uv_async_init(&loop, &keeper,
                            [](uv_async_t* async) {
                                uv_close(reinterpret_cast<uv_handle_t*>(async), nullptr);
                            }),
              0);
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    int fired = 0;
    timer.data = &fired;
    std::atomic<bool> is_running{false};
    uv_prepare_t prepare;
    ASSERT_EQ(uv_prepare_init(&loop, &prepare), 0);
    prepare.data = &is_running;
    ASSERT_EQ(uv_prepare_start(&prepare,
                               [](uv_prepare_t* handle) {
                                   static_cast<std::atomic<bool>*>(handle->data)->store(true);
                                   uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
                               }),
              0);
    std::thread runner([this] { EXPECT_EQ(run(), 0); });
    while (!is_running.load()) std::this_thread::yield();
    EXPECT_EQ(uv_timer_start(&timer, [](uv_timer_t* handle) { count(handle->data); }, 1, 0), 0);
    uv_close(base(timer), nullptr);
    EXPECT_EQ(uv_async_send(&keeper), 0);
    runner.join();
    EXPECT_EQ(uv_is_closing(base(timer)), 1);
}

TEST_F(UvTimer, fires_after_its_delay_and_repeats) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    EXPECT_EQ(uv_timer_again(&timer), UV_EINVAL);
    EXPECT_EQ(uv_timer_start(&timer, nullptr, 1, 0), UV_EINVAL);
    int fired = 0;
    timer.data = &fired;
    const auto fire = [](uv_timer_t* handle) {
        count(handle->data);
        if (*static_cast<int*>(handle->data) == 3) uv_timer_stop(handle);
    };
    uv_update_time(&loop);
    const std::uint64_t before = uv_now(&loop);
    ASSERT_EQ(uv_timer_start(&timer, fire, 10, 1), 0);
    EXPECT_EQ(uv_timer_get_due_in(&timer), 10u);
    EXPECT_EQ(uv_timer_get_repeat(&timer), 1u);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(fired, 3);
    EXPECT_GE(uv_now(&loop) - before, 12u);
    uv_timer_set_repeat(&timer, 2);
    EXPECT_EQ(uv_timer_get_repeat(&timer), 2u);
    fired = 2;
    EXPECT_EQ(uv_timer_again(&timer), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(fired, 3);
    close(timer);
    EXPECT_EQ(uv_timer_start(&timer, fire, 1, 0), UV_EINVAL);
    run();
    EXPECT_EQ(uv_timer_get_due_in(&timer), 0u);
}

TEST_F(UvTimer, of_any_delay_is_told_as_it_was_set) {
    uv_timer_t timer;
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t*) {}, 0xffffffffffffULL, 0), 0);
    EXPECT_EQ(uv_timer_get_due_in(&timer), 0xffffffffffffULL);
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t*) {}, UINT64_MAX, 0), 0);
    EXPECT_EQ(run(UV_RUN_NOWAIT), 1);
    close(timer);
    run();
}

std::string order;

TEST_F(UvHooks, run_around_the_wait) {
    order.clear();
    uv_idle_t idle;
    uv_prepare_t prepare;
    uv_check_t check;
    ASSERT_EQ(uv_idle_init(&loop, &idle), 0);
    ASSERT_EQ(uv_prepare_init(&loop, &prepare), 0);
    ASSERT_EQ(uv_check_init(&loop, &check), 0);
    EXPECT_EQ(uv_check_start(&check, nullptr), UV_EINVAL);
    ASSERT_EQ(uv_check_start(&check, [](uv_check_t*) { order += "check "; }), 0);
    ASSERT_EQ(uv_prepare_start(&prepare, [](uv_prepare_t*) { order += "prepare "; }), 0);
    ASSERT_EQ(uv_idle_start(&idle, [](uv_idle_t*) { order += "idle "; }), 0);
    EXPECT_EQ(uv_backend_timeout(&loop), 0);
    EXPECT_EQ(run(UV_RUN_NOWAIT), 1);
    EXPECT_EQ(order, "idle prepare check ");
    EXPECT_EQ(uv_idle_stop(&idle), 0);
    EXPECT_EQ(uv_prepare_stop(&prepare), 0);
    EXPECT_EQ(uv_check_stop(&check), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(order, "idle prepare check ");
    close(idle);
    close(prepare);
    close(check);
    run();
}

TEST_F(UvAsync, wakes_the_loop_from_another_thread) {
    uv_async_t async;
    ASSERT_EQ(uv_async_init(&loop, &async,
                            [](uv_async_t* handle) {
                                uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
                            }),
              0);
    EXPECT_EQ(uv_is_active(base(async)), 1);
    std::thread sender([&async] { EXPECT_EQ(uv_async_send(&async), 0); });
    EXPECT_EQ(run(), 0);
    sender.join();
    EXPECT_EQ(uv_async_send(&async), 0) << "a send to a closed handle does nothing";
}

TEST_F(UvSignal, is_caught_until_it_is_stopped) {
    uv_signal_t often;
    uv_signal_t once;
    ASSERT_EQ(uv_signal_init(&loop, &often), 0);
    ASSERT_EQ(uv_signal_init(&loop, &once), 0);
    EXPECT_EQ(uv_signal_start(&often, [](uv_signal_t*, int) {}, 0), UV_EINVAL);
    int caught = 0;
    int caught_once = 0;
    often.data = &caught;
    once.data = &caught_once;
    const auto catch_one = [](uv_signal_t* handle, int number) {
        EXPECT_EQ(number, SIGUSR1);
        count(handle->data);
    };
    ASSERT_EQ(uv_signal_start(&often, catch_one, SIGUSR1), 0);
    ASSERT_EQ(uv_signal_start_oneshot(&once, catch_one, SIGUSR1), 0);
    EXPECT_EQ(often.signum, SIGUSR1);
    (void)run(UV_RUN_NOWAIT);
    for (int wanted = 1; wanted < 3; ++wanted) {
        std::raise(SIGUSR1);
        while (caught < wanted) (void)run(UV_RUN_ONCE);
    }
    EXPECT_EQ(caught_once, 1);
    EXPECT_EQ(uv_is_active(base(once)), 0);
    EXPECT_EQ(uv_signal_stop(&often), 0);
    EXPECT_EQ(run(), 0);
    close(often);
    close(once);
    run();
}

TEST_F(UvPoll, tells_readiness_and_refuses_a_second_watcher) {
    uv_os_sock_t ends[2];
    ASSERT_EQ(uv_socketpair(SOCK_STREAM, 0, ends, 0, 0), 0);
    uv_poll_t poll;
    uv_poll_t second;
    ASSERT_EQ(uv_poll_init(&loop, &poll, ends[0]), 0);
    int events = 0;
    poll.data = &events;
    const auto ready = [](uv_poll_t* handle, int status, int happened) {
        EXPECT_EQ(status, 0);
        *static_cast<int*>(handle->data) |= happened;
        if ((happened & UV_READABLE) != 0) uv_poll_stop(handle);
    };
    ASSERT_EQ(uv_poll_start(&poll, UV_READABLE | UV_WRITABLE, ready), 0);
    EXPECT_EQ(uv_poll_init_socket(&loop, &second, ends[0]), UV_EEXIST);
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(events & UV_READABLE, UV_READABLE);
    int fd = -1;
    EXPECT_EQ(uv_fileno(base(poll), &fd), 0);
    EXPECT_EQ(fd, ends[0]);
    close(poll);
    run();
    ::close(ends[0]);
    ::close(ends[1]);
    std::FILE* file = std::tmpfile();
    EXPECT_EQ(uv_poll_init(&loop, &poll, ::fileno(file)), UV_EPERM);
    std::fclose(file);
}

struct Job {
    std::thread::id ran_on;
    std::string thread_name;
    int status = 1;
};

TEST_F(UvWork, runs_on_another_thread_and_ends_on_the_loop) {
    uv_work_t work;
    Job job;
    work.data = &job;
    EXPECT_EQ(uv_queue_work(&loop, &work, nullptr, nullptr), UV_EINVAL);
    ASSERT_EQ(
        uv_queue_work(
            &loop, &work,
            [](uv_work_t* req) {
                auto& ran = *static_cast<Job*>(req->data);
                ran.ran_on = std::this_thread::get_id();
                char name[32];
                uv_thread_t self = uv_thread_self();
                EXPECT_EQ(uv_thread_getname(&self, name, sizeof name), 0);
                ran.thread_name = name;
            },
            [](uv_work_t* req, int status) { static_cast<Job*>(req->data)->status = status; }),
        0);
    EXPECT_EQ(uv_loop_alive(&loop), 1);
    EXPECT_EQ(uv_req_get_type(reinterpret_cast<uv_req_t*>(&work)), UV_WORK);
    EXPECT_EQ(uv_req_get_data(reinterpret_cast<uv_req_t*>(&work)), &job);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(job.status, 0);
    EXPECT_EQ(job.thread_name, "libuv-worker");
    EXPECT_NE(job.ran_on, std::this_thread::get_id());
    uv_req_set_data(reinterpret_cast<uv_req_t*>(&work), nullptr);
    EXPECT_EQ(work.data, nullptr);
}

std::atomic<bool> may_end{false};

TEST_F(UvWork, that_waits_can_be_cancelled) {
    // As many as there are threads, and one that waits for one of them.
    uv_work_t running[4];
    for (uv_work_t& work : running) {
        ASSERT_EQ(uv_queue_work(
                      &loop, &work,
                      [](uv_work_t*) {
                          while (!may_end.load()) std::this_thread::yield();
                      },
                      [](uv_work_t*, int) {}),
                  0);
    }
    (void)run(UV_RUN_NOWAIT);
    uv_work_t waiting;
    int status = 0;
    waiting.data = &status;
    ASSERT_EQ(uv_queue_work(
                  &loop, &waiting, [](uv_work_t*) { ADD_FAILURE() << "it was cancelled"; },
                  [](uv_work_t* req, int how) { *static_cast<int*>(req->data) = how; }),
              0);
    EXPECT_EQ(uv_cancel(reinterpret_cast<uv_req_t*>(&waiting)), 0);
    may_end = true;
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(status, UV_ECANCELED);
    uv_write_t other;
    other.type = UV_WRITE;
    EXPECT_EQ(uv_cancel(reinterpret_cast<uv_req_t*>(&other)), UV_EINVAL);
}

TEST_F(UvWork, finds_names) {
    uv_getaddrinfo_t names;
    int family = 0;
    names.data = &family;
    EXPECT_EQ(uv_getaddrinfo(&loop, &names, nullptr, nullptr, nullptr, nullptr), UV_EINVAL);
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    ASSERT_EQ(uv_getaddrinfo(
                  &loop, &names,
                  [](uv_getaddrinfo_t* req, int status, addrinfo* found) {
                      EXPECT_EQ(status, 0);
                      *static_cast<int*>(req->data) = found->ai_family;
                      uv_freeaddrinfo(found);
                  },
                  "127.0.0.1", "80", &hints),
              0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(family, AF_INET);
    ASSERT_EQ(uv_getaddrinfo(&loop, &names, nullptr, "127.0.0.1", nullptr, &hints), 0);
    uv_freeaddrinfo(names.addrinfo);
    EXPECT_EQ(uv_getaddrinfo(&loop, &names, nullptr, "no number", nullptr, &hints), UV_EAI_NONAME);
    const std::string long_name(300, 'x');
    EXPECT_LT(uv_getaddrinfo(&loop, &names, nullptr, long_name.c_str(), nullptr, nullptr), 0);

    uv_getnameinfo_t name;
    const sockaddr_in address = loopback(80);
    ASSERT_EQ(uv_getnameinfo(&loop, &name, nullptr, address_of(address), NI_NUMERICHOST), 0);
    EXPECT_STREQ(name.host, "127.0.0.1");
    ASSERT_EQ(uv_getnameinfo(
                  &loop, &name,
                  [](uv_getnameinfo_t*, int status, const char* host, const char*) {
                      EXPECT_EQ(status, 0);
                      EXPECT_STREQ(host, "127.0.0.1");
                  },
                  address_of(address), NI_NUMERICHOST),
              0);
    EXPECT_EQ(run(), 0);
    sockaddr other{};
    EXPECT_EQ(uv_getnameinfo(&loop, &name, nullptr, &other, 0), UV_EINVAL);
}

TEST_F(UvWork, makes_random_bytes) {
    unsigned char first[32] = {};
    unsigned char second[32] = {};
    EXPECT_EQ(uv_random(nullptr, nullptr, first, sizeof first, 0, nullptr), 0);
    uv_random_t random;
    EXPECT_EQ(uv_random(&loop, &random, second, sizeof second, 1, nullptr), UV_EINVAL);
    EXPECT_EQ(uv_random(&loop, &random, second, std::size_t{1} << 40u, 0, nullptr), UV_E2BIG);
    ASSERT_EQ(uv_random(&loop, &random, second, sizeof second, 0,
                        [](uv_random_t*, int status, void*, std::size_t size) {
                            EXPECT_EQ(status, 0);
                            EXPECT_EQ(size, 32u);
                        }),
              0);
    EXPECT_EQ(run(), 0);
    EXPECT_NE(std::string(first, first + 32), std::string(second, second + 32));
}

}  // namespace
}  // namespace gyre::uv::test
