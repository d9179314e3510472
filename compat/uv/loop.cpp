// SPDX-License-Identifier: Apache-2.0
// Loops: uv_loop_init to uv_walk.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "compat/uv/internal/folder_watches.hpp"
#include "compat/uv/internal/loop_state.hpp"
#include "compat/uv/internal/memory.hpp"
#include "gyre/platform/choose.hpp"

namespace gyre::uv {
namespace {

// With epoll unless GYRE_PLATFORM names another one (docs/decisions/0100).
const char* platform_name() noexcept {
    const char* named = std::getenv("GYRE_PLATFORM");
    return named == nullptr || *named == '\0' ? "epoll" : named;
}

int make_state(uv_loop_t* loop) noexcept {
    try {
        auto platform = platform::make_platform(system_clock(), platform_name());
        if (!platform) return platform.error().error.as_result();
        loop->internal_fields = new LoopState(loop, std::move(*platform));
        return 0;
    } catch (const std::bad_alloc&) {
        return UV_ENOMEM;
    }
}

uv_loop_t default_loop_memory;
uv_loop_t* default_loop = nullptr;

void print(uv_loop_t* loop, std::FILE* stream, bool only_active) {
    if (loop == nullptr) loop = uv_default_loop();
    if (stream == nullptr) stream = stderr;
    LoopState::of(loop).handles.for_each([&](HandleState& state) {
        const uv_handle_t* handle = state.uv();
        const bool is_active = uv_is_active(handle) != 0;
        if (only_active && !is_active) return;
        const char* name = uv_handle_type_name(handle->type);
        std::fprintf(stream, "[%c%c%c] %-8s %p\n", uv_has_ref(handle) != 0 ? 'R' : '-',
                     is_active ? 'A' : '-', state.is_internal() ? 'I' : '-',
                     name == nullptr ? "unknown" : name, static_cast<const void*>(handle));
    });
}

std::uint64_t milliseconds(Instant instant) noexcept {
    return instant.nanoseconds() / 1'000'000;
}

}  // namespace
}  // namespace gyre::uv

int uv_loop_init(uv_loop_t* loop) {
    void* const data = loop->data;
    *loop = uv_loop_t{};
    loop->data = data;
    loop->backend_fd = -1;
    const int status = gyre::uv::make_state(loop);
    if (status == 0) loop->backend_fd = gyre::uv::LoopState::of(loop).phased.backend_fd();
    return status;
}

uv_loop_t* uv_default_loop(void) {
    if (gyre::uv::default_loop != nullptr) return gyre::uv::default_loop;
    if (uv_loop_init(&gyre::uv::default_loop_memory) != 0) return nullptr;
    gyre::uv::default_loop = &gyre::uv::default_loop_memory;
    return gyre::uv::default_loop;
}

int uv_loop_close(uv_loop_t* loop) {
    auto& state = gyre::uv::LoopState::of(loop);
    if (state.is_busy() || state.is_running.load()) return UV_EBUSY;
    delete &state;
    loop->internal_fields = nullptr;
    loop->backend_fd = -1;
    if (loop == gyre::uv::default_loop) gyre::uv::default_loop = nullptr;
    return 0;
}

uv_loop_t* uv_loop_new(void) {
    auto* loop = static_cast<uv_loop_t*>(gyre::uv::allocate(sizeof(uv_loop_t)));
    if (loop == nullptr) return nullptr;
    loop->data = nullptr;
    if (uv_loop_init(loop) == 0) return loop;
    gyre::uv::release(loop);
    return nullptr;
}

void uv_loop_delete(uv_loop_t* loop) {
    const bool is_default = loop == gyre::uv::default_loop;
    if (uv_loop_close(loop) == 0 && !is_default) gyre::uv::release(loop);
}

size_t uv_loop_size(void) {
    return sizeof(uv_loop_t);
}

void* uv_loop_get_data(const uv_loop_t* loop) {
    return loop->data;
}

void uv_loop_set_data(uv_loop_t* loop, void* data) {
    loop->data = data;
}

int uv_loop_alive(const uv_loop_t* loop) {
    auto& state = gyre::uv::LoopState::of(loop);
    state.count_external();
    return state.phased.is_alive() ? 1 : 0;
}

int uv_run(uv_loop_t* loop, uv_run_mode mode) {
    using gyre::handle::RunMode;
    auto& state = gyre::uv::LoopState::of(loop);
    const RunMode run_mode = mode == UV_RUN_DEFAULT ? RunMode::until_done
                             : mode == UV_RUN_ONCE  ? RunMode::once
                                                    : RunMode::no_wait;
    state.count_external();
    state.is_running.store(true);
    const bool is_alive = state.phased.run(run_mode);
    state.is_running.store(false);
    loop->stop_flag = 0;
    return is_alive ? 1 : 0;
}

void uv_stop(uv_loop_t* loop) {
    loop->stop_flag = 1;
    (void)gyre::uv::LoopState::of(loop).phased.stop();
}

void uv_update_time(uv_loop_t* loop) {
    gyre::uv::LoopState::of(loop).phased.update_now();
}

uint64_t uv_now(const uv_loop_t* loop) {
    return gyre::uv::milliseconds(gyre::uv::LoopState::of(loop).phased.now());
}

int uv_backend_fd(const uv_loop_t* loop) {
    return gyre::uv::LoopState::of(loop).phased.backend_fd();
}

// Rounded up: a host that waits for so long finds the timer due.
int uv_backend_timeout(const uv_loop_t* loop) {
    const auto timeout = gyre::uv::LoopState::of(loop).phased.next_timeout();
    if (!timeout) return -1;
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(*timeout).count();
    return rounded > INT32_MAX ? INT32_MAX : static_cast<int>(rounded);
}

uint64_t uv_metrics_idle_time(uv_loop_t* loop) {
    auto& state = gyre::uv::LoopState::of(loop);
    if (!state.measures_idle_time) return 0;
    return static_cast<std::uint64_t>(
        state.phased.metrics().idle_time(gyre::uv::system_clock().now()).count());
}

int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics) {
    const auto& counted = gyre::uv::LoopState::of(loop).phased.metrics();
    *metrics = uv_metrics_t{};
    metrics->loop_count = counted.iterations();
    metrics->events = counted.events();
    metrics->events_waiting = counted.events_waiting();
    return 0;
}

void uv_walk(uv_loop_t* loop, uv_walk_cb walk_cb, void* arg) {
    using gyre::uv::HandleState;
    auto& handles = gyre::uv::LoopState::of(loop).handles;
    gyre::Queue<HandleState, gyre::uv::AllLinks> batch;
    batch.take_all(handles);
    while (HandleState* state = batch.pop_front()) {
        handles.push_back(*state);
        if (!state->is_internal()) walk_cb(state->uv(), arg);
    }
}

void uv_print_all_handles(uv_loop_t* loop, FILE* stream) {
    gyre::uv::print(loop, stream, false);
}

void uv_print_active_handles(uv_loop_t* loop, FILE* stream) {
    gyre::uv::print(loop, stream, true);
}

// The threads of the pool end with the process, and nothing else is the library's own.
void uv_library_shutdown(void) {}
