// SPDX-License-Identifier: Apache-2.0
// gy on gyre's handles. It uses only headers of gyre/handle, and of gyre/platform to choose a
// platform; no name of the kernel appears.
#include "tests/uv_slice/gy.h"

#include <limits>
#include <memory>

#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

namespace {

namespace handle = gyre::handle;

struct Inside {
    gyre::platform::SystemClock clock;
    decltype(gyre::platform::make_platform(clock, "")) platform =
        gyre::platform::make_platform(clock);
    std::unique_ptr<handle::PhasedLoop> loop;
};

handle::PhasedLoop& loop_of(const gy_loop_t* loop) {
    return *static_cast<Inside*>(loop->inside)->loop;
}

template <class T>
T& inside(const gy_handle_t* outer) {
    return static_cast<T&>(*static_cast<handle::Handle*>(outer->inside));
}

handle::Handle& any(const gy_handle_t* outer) {
    return *static_cast<handle::Handle*>(outer->inside);
}

int code_of(const handle::Status& status) {
    return status ? 0 : status.error().as_result();
}

template <class T>
int init(gy_loop_t* loop, gy_handle_t* outer) {
    outer->loop = loop;
    outer->cb = nullptr;
    outer->close_cb = nullptr;
    outer->inside = static_cast<handle::Handle*>(new T(loop_of(loop)));
    return 0;
}

template <class T>
int start_hook(gy_handle_t* outer, gy_cb cb) {
    if (!any(outer).is_active()) outer->cb = cb;
    return code_of(inside<T>(outer).start([outer](T&) { outer->cb(outer); }).get());
}

std::chrono::milliseconds milliseconds(std::uint64_t count) {
    constexpr auto most = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(gyre::Duration::max()).count());
    return std::chrono::milliseconds(count < most ? count : most);
}

template <class T>
void destroy(handle::Handle& closed) {
    delete static_cast<T*>(&closed);
}

void destroy_any(handle::Handle& closed) {
    const std::string_view kind = closed.kind();
    if (kind == "timer") return destroy<handle::Timer>(closed);
    if (kind == "idle") return destroy<handle::Idle>(closed);
    if (kind == "prepare") return destroy<handle::Prepare>(closed);
    if (kind == "check") return destroy<handle::Check>(closed);
    destroy<handle::Async>(closed);
}

}  // namespace

extern "C" {

int gy_loop_init(gy_loop_t* loop) {
    auto made = std::make_unique<Inside>();
    if (!made->platform) return made->platform.error().error.as_result();
    made->loop = std::make_unique<handle::PhasedLoop>(**made->platform);
    loop->inside = made.release();
    return 0;
}

int gy_loop_close(gy_loop_t* loop) {
    const int status = code_of(loop_of(loop).close());
    if (status == 0) delete static_cast<Inside*>(loop->inside);
    return status;
}

int gy_run(gy_loop_t* loop, int mode) {
    constexpr handle::RunMode modes[] = {handle::RunMode::until_done, handle::RunMode::once,
                                         handle::RunMode::no_wait};
    return loop_of(loop).run(modes[mode]) ? 1 : 0;
}

void gy_stop(gy_loop_t* loop) {
    loop_of(loop).stop();
}
int gy_loop_alive(const gy_loop_t* loop) {
    return loop_of(loop).is_alive() ? 1 : 0;
}
uint64_t gy_now(const gy_loop_t* loop) {
    return loop_of(loop).now().nanoseconds() / 1'000'000;
}
void gy_update_time(gy_loop_t* loop) {
    loop_of(loop).update_now();
}
int gy_backend_fd(const gy_loop_t* loop) {
    return loop_of(loop).backend_fd();
}

int gy_backend_timeout(gy_loop_t* loop) {
    const auto timeout = loop_of(loop).next_timeout();
    if (!timeout) return -1;
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(*timeout).count();
    constexpr int most = std::numeric_limits<int>::max();
    return rounded > most ? most : static_cast<int>(rounded);
}

int gy_timer_init(gy_loop_t* loop, gy_handle_t* timer) {
    return init<handle::Timer>(loop, timer);
}
int gy_timer_start(gy_handle_t* timer, gy_cb cb, uint64_t timeout, uint64_t repeat) {
    if (cb == nullptr) return gyre::failure(std::errc::invalid_argument);
    const auto started = inside<handle::Timer>(timer)
                             .start([timer](handle::Timer&) { timer->cb(timer); },
                                    milliseconds(timeout), milliseconds(repeat))
                             .get();
    if (started) timer->cb = cb;
    return code_of(started);
}
int gy_timer_stop(gy_handle_t* timer) {
    return code_of(inside<handle::Timer>(timer).stop().get());
}
int gy_timer_again(gy_handle_t* timer) {
    return code_of(inside<handle::Timer>(timer).again().get());
}

int gy_idle_init(gy_loop_t* loop, gy_handle_t* idle) {
    return init<handle::Idle>(loop, idle);
}
int gy_idle_start(gy_handle_t* idle, gy_cb cb) {
    return start_hook<handle::Idle>(idle, cb);
}
int gy_idle_stop(gy_handle_t* idle) {
    return code_of(inside<handle::Idle>(idle).stop().get());
}
int gy_prepare_init(gy_loop_t* loop, gy_handle_t* prepare) {
    return init<handle::Prepare>(loop, prepare);
}
int gy_prepare_start(gy_handle_t* prepare, gy_cb cb) {
    return start_hook<handle::Prepare>(prepare, cb);
}
int gy_prepare_stop(gy_handle_t* prepare) {
    return code_of(inside<handle::Prepare>(prepare).stop().get());
}
int gy_check_init(gy_loop_t* loop, gy_handle_t* check) {
    return init<handle::Check>(loop, check);
}
int gy_check_start(gy_handle_t* check, gy_cb cb) {
    return start_hook<handle::Check>(check, cb);
}
int gy_check_stop(gy_handle_t* check) {
    return code_of(inside<handle::Check>(check).stop().get());
}

int gy_async_init(gy_loop_t* loop, gy_handle_t* async, gy_cb cb) {
    init<handle::Async>(loop, async);
    async->cb = cb;
    return code_of(inside<handle::Async>(async)
                       .start([async](handle::Async&) {
                           if (async->cb != nullptr) async->cb(async);
                       })
                       .get());
}
int gy_async_send(gy_handle_t* async) {
    inside<handle::Async>(async).send();
    return 0;
}

void gy_close(gy_handle_t* outer, gy_cb close_cb) {
    outer->close_cb = close_cb;
    any(outer).close([outer](handle::Handle& closed) {
        destroy_any(closed);
        outer->inside = nullptr;
        if (outer->close_cb != nullptr) outer->close_cb(outer);
    });
}
int gy_is_active(const gy_handle_t* outer) {
    return outer->inside != nullptr && any(outer).is_active() ? 1 : 0;
}
int gy_is_closing(const gy_handle_t* outer) {
    return outer->inside == nullptr || any(outer).is_closing() ? 1 : 0;
}
void gy_ref(gy_handle_t* outer) {
    any(outer).ref();
}
void gy_unref(gy_handle_t* outer) {
    any(outer).unref();
}
int gy_has_ref(const gy_handle_t* outer) {
    return any(outer).has_ref() ? 1 : 0;
}

}  // extern "C"
