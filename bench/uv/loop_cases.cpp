// SPDX-License-Identifier: Apache-2.0
// The cases of bench_uv without sockets: timers, iterations, wakes, work, files, names, children.
#include <array>
#include <memory>
#include <vector>

#include "bench/uv/cases.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t timer_count = 200'000;
constexpr std::uint64_t iteration_count = 1'000'000;
constexpr std::uint64_t wake_count = 40'000;
constexpr std::uint64_t work_count = 60'000;
constexpr std::uint64_t name_count = 2'000;
constexpr std::uint64_t child_count = 100;
constexpr std::size_t at_once = 64;

}  // namespace

std::uint64_t timers(uv_loop_t* loop) {
    std::vector<uv_timer_t> all(timer_count);
    std::uint64_t delay = 1;
    for (uv_timer_t& timer : all) {
        need(uv_timer_init(loop, &timer));
        delay = delay * 48271 % 0x7fffffff;
        need(uv_timer_start(
            &timer, [](uv_timer_t* self) { uv_close(base(self), nullptr); }, delay % 20, 0));
    }
    run(loop);
    return timer_count;
}

// As a server moves the timeout of a connection with each message.
std::uint64_t timers_again(uv_loop_t* loop) {
    std::vector<uv_timer_t> all(1000);
    for (uv_timer_t& timer : all) {
        need(uv_timer_init(loop, &timer));
        need(uv_timer_start(&timer, [](uv_timer_t*) {}, 60'000, 60'000));
    }
    for (std::uint64_t i = 0; i < iteration_count; ++i) need(uv_timer_again(&all[i % all.size()]));
    for (uv_timer_t& timer : all) uv_close(base(&timer), nullptr);
    run(loop);
    return iteration_count;
}

std::uint64_t loop_count(uv_loop_t* loop) {
    uv_idle_t idle;
    std::uint64_t left = iteration_count;
    need(uv_idle_init(loop, &idle));
    idle.data = &left;
    need(uv_idle_start(&idle, [](uv_idle_t* self) {
        if (--*static_cast<std::uint64_t*>(self->data) == 0) uv_close(base(self), nullptr);
    }));
    run(loop);
    return iteration_count;
}

namespace {

// Another thread with a loop of its own, which sends each wake back.
struct Partner {
    uv_loop_t loop{};
    uv_thread_t thread{};
    uv_async_t here{};   // on the loop that is measured
    uv_async_t there{};  // on its own
    std::uint64_t left = 0;
};

std::uint64_t wakes(uv_loop_t* loop, std::size_t thread_count) {
    std::vector<std::unique_ptr<Partner>> partners;
    const std::uint64_t each = wake_count / thread_count;
    for (std::size_t i = 0; i < thread_count; ++i) {
        partners.push_back(std::make_unique<Partner>());
        Partner& one = *partners.back();
        one.left = each;
        need(uv_loop_init(&one.loop));
        need(uv_async_init(&one.loop, &one.there, [](uv_async_t* self) {
            auto& partner = *static_cast<Partner*>(self->data);
            const bool is_last = partner.left == 0;
            uv_async_send(&partner.here);
            if (is_last) uv_close(base(self), nullptr);
        }));
        need(uv_async_init(loop, &one.here, [](uv_async_t* self) {
            auto& partner = *static_cast<Partner*>(self->data);
            if (partner.left == 0) return uv_close(base(self), nullptr);
            --partner.left;
            uv_async_send(&partner.there);
        }));
        one.here.data = one.there.data = &one;
        need(uv_thread_create(
            &one.thread, [](void* data) { run(&static_cast<Partner*>(data)->loop); }, &one));
    }
    for (const auto& one : partners) uv_async_send(&one->here);
    run(loop);
    for (const auto& one : partners) {
        uv_thread_join(&one->thread);
        need(uv_loop_close(&one->loop));
    }
    return each * thread_count;
}

}  // namespace

std::uint64_t async_1(uv_loop_t* loop) {
    return wakes(loop, 1);
}
std::uint64_t async_2(uv_loop_t* loop) {
    return wakes(loop, 2);
}
std::uint64_t async_4(uv_loop_t* loop) {
    return wakes(loop, 4);
}
std::uint64_t async_8(uv_loop_t* loop) {
    return wakes(loop, 8);
}

std::uint64_t queue_work(uv_loop_t* loop) {
    std::array<uv_work_t, at_once> all{};
    static std::uint64_t left;
    left = work_count - at_once;
    static constexpr auto nothing = [](uv_work_t*) {};
    static uv_after_work_cb next = [](uv_work_t* request, int) {
        if (left == 0) return;
        --left;
        need(uv_queue_work(request->loop, request, nothing, next));
    };
    for (uv_work_t& request : all) need(uv_queue_work(loop, &request, nothing, next));
    run(loop);
    return work_count;
}

std::uint64_t fs_stat(uv_loop_t* loop) {
    std::array<uv_fs_t, at_once> all{};
    static std::uint64_t left;
    left = work_count - at_once;
    static uv_fs_cb next = [](uv_fs_t* request) {
        uv_loop_t* const on = request->loop;
        uv_fs_req_cleanup(request);
        if (left == 0) return;
        --left;
        need(uv_fs_stat(on, request, ".", next));
    };
    for (uv_fs_t& request : all) need(uv_fs_stat(loop, &request, ".", next));
    run(loop);
    return work_count;
}

std::uint64_t fs_stat_now(uv_loop_t* loop) {
    for (std::uint64_t i = 0; i < work_count; ++i) {
        uv_fs_t request;
        need(uv_fs_stat(loop, &request, ".", nullptr));
        uv_fs_req_cleanup(&request);
    }
    return work_count;
}

std::uint64_t names(uv_loop_t* loop) {
    std::array<uv_getaddrinfo_t, 8> all{};
    static std::uint64_t left;
    left = name_count - all.size();
    static uv_getaddrinfo_cb next = [](uv_getaddrinfo_t* request, int status, addrinfo* found) {
        need(status);
        uv_freeaddrinfo(found);
        if (left == 0) return;
        --left;
        need(uv_getaddrinfo(request->loop, request, next, "localhost", nullptr, nullptr));
    };
    for (uv_getaddrinfo_t& request : all) {
        need(uv_getaddrinfo(loop, &request, next, "localhost", nullptr, nullptr));
    }
    run(loop);
    return name_count;
}

std::uint64_t spawn(uv_loop_t* loop) {
    static std::uint64_t left;
    left = child_count;
    static void (*start)(uv_loop_t*) = [](uv_loop_t* on) {
        static uv_process_t process;
        char* words[] = {const_cast<char*>("true"), nullptr};
        uv_process_options_t options{};
        options.file = "true";
        options.args = words;
        options.exit_cb = [](uv_process_t* self, std::int64_t, int) {
            uv_close(base(self), [](uv_handle_t* closed) {
                if (--left > 0) start(closed->loop);
            });
        };
        need(uv_spawn(on, &process, &options));
    };
    start(loop);
    run(loop);
    return child_count;
}

}  // namespace gyre::bench
