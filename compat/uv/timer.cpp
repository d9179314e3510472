// SPDX-License-Identifier: Apache-2.0
// Timers, and the hooks of an iteration: idle, prepare and check.
#include <algorithm>
#include <new>

#include "compat/uv/internal/loop_state.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"

namespace gyre::uv {
namespace {

// A handle of gyre behind one of the interface.
template <class Gyre>
class Simple final : public HandleState {
public:
    Simple(LoopState& loop, uv_handle_t* uv) noexcept
        : HandleState(loop, uv), handle(loop.phased) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return handle; }

    Gyre handle;
};

template <class Gyre, class Uv>
int init_simple(uv_loop_t* loop, Uv* uv, uv_handle_type type) noexcept {
    init_fields(loop, uv, type);
    auto* state = new (std::nothrow) Simple<Gyre>(LoopState::of(loop), as_handle(uv));
    return state == nullptr ? UV_ENOMEM : 0;
}

template <class Gyre, class Uv>
Gyre& gyre_of(const Uv* uv) noexcept {
    (void)LoopState::of(uv->loop);
    return state_of<Simple<Gyre>>(uv)->handle;
}

constexpr auto delay_max_ms = static_cast<std::uint64_t>(Duration::max().count() / 1'000'000);

// A delay that gyre cannot count lasts as long as it can.
Duration milliseconds(std::uint64_t count) noexcept {
    return std::chrono::milliseconds(std::min(count, delay_max_ms));
}

std::uint64_t count_of(Duration duration) noexcept {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// Of timers that are later than gyre counts.
std::uint64_t due_at(const uv_loop_t* loop, std::uint64_t timeout) noexcept {
    const std::uint64_t now = uv_now(loop);
    return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

}  // namespace
}  // namespace gyre::uv

using gyre::uv::carry;
using gyre::uv::gyre_of;
using gyre::uv::result_of;

int uv_timer_init(uv_loop_t* loop, uv_timer_t* handle) {
    handle->timer_cb = nullptr;
    handle->timeout = 0;
    handle->repeat = 0;
    return gyre::uv::init_simple<gyre::handle::Timer>(loop, handle, UV_TIMER);
}

int uv_timer_start(uv_timer_t* handle, uv_timer_cb cb, uint64_t timeout, uint64_t repeat) {
    if (carry(handle->loop, [=] { (void)uv_timer_start(handle, cb, timeout, repeat); })) return 0;
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle)) || cb == nullptr) return UV_EINVAL;
    handle->timer_cb = cb;
    handle->repeat = repeat;
    handle->timeout = gyre::uv::due_at(handle->loop, timeout);
    const auto call = [handle](gyre::handle::Timer&) { handle->timer_cb(handle); };
    return result_of(gyre_of<gyre::handle::Timer>(handle).start(
        call, gyre::uv::milliseconds(timeout), gyre::uv::milliseconds(repeat)));
}

int uv_timer_stop(uv_timer_t* handle) {
    if (carry(handle->loop, [=] { (void)uv_timer_stop(handle); })) return 0;
    if (gyre::uv::state_of(gyre::uv::as_handle(handle)) == nullptr) return 0;
    return result_of(gyre_of<gyre::handle::Timer>(handle).stop());
}

int uv_timer_again(uv_timer_t* handle) {
    if (carry(handle->loop, [=] { (void)uv_timer_again(handle); })) return 0;
    if (handle->timer_cb == nullptr) return UV_EINVAL;
    return result_of(gyre_of<gyre::handle::Timer>(handle).again());
}

void uv_timer_set_repeat(uv_timer_t* handle, uint64_t repeat) {
    if (carry(handle->loop, [=] { uv_timer_set_repeat(handle, repeat); })) return;
    handle->repeat = repeat;
    (void)gyre_of<gyre::handle::Timer>(handle).set_repeat(gyre::uv::milliseconds(repeat));
}

uint64_t uv_timer_get_repeat(const uv_timer_t* handle) {
    return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t* handle) {
    if (gyre::uv::state_of<gyre::uv::HandleState>(handle) == nullptr) return 0;
    const auto& timer = gyre_of<gyre::handle::Timer>(handle);
    // One that is later than gyre counts.
    const std::uint64_t now = uv_now(handle->loop);
    const bool is_far = handle->timeout > now && handle->timeout - now > gyre::uv::delay_max_ms;
    if (timer.is_active() && is_far) return handle->timeout - now;
    return gyre::uv::count_of(timer.due_in());
}

// A callback that is set while the hook is active stays until it is started again.
#define GYRE_UV_HOOK(name, Name, TYPE)                                                   \
    int uv_##name##_init(uv_loop_t* loop, uv_##name##_t* handle) {                       \
        handle->name##_cb = nullptr;                                                     \
        return gyre::uv::init_simple<gyre::handle::Name>(loop, handle, TYPE);            \
    }                                                                                    \
    int uv_##name##_start(uv_##name##_t* handle, uv_##name##_cb cb) {                    \
        if (carry(handle->loop, [=] { (void)uv_##name##_start(handle, cb); })) return 0; \
        if (uv_is_active(gyre::uv::as_handle(handle)) != 0) return 0;                    \
        if (cb == nullptr) return UV_EINVAL;                                             \
        handle->name##_cb = cb;                                                          \
        return result_of(gyre_of<gyre::handle::Name>(handle).start(                      \
            [handle](gyre::handle::Name&) { handle->name##_cb(handle); }));              \
    }                                                                                    \
    int uv_##name##_stop(uv_##name##_t* handle) {                                        \
        if (carry(handle->loop, [=] { (void)uv_##name##_stop(handle); })) return 0;      \
        if (gyre::uv::state_of(gyre::uv::as_handle(handle)) == nullptr) return 0;        \
        return result_of(gyre_of<gyre::handle::Name>(handle).stop());                    \
    }

GYRE_UV_HOOK(idle, Idle, UV_IDLE)
GYRE_UV_HOOK(prepare, Prepare, UV_PREPARE)
GYRE_UV_HOOK(check, Check, UV_CHECK)
#undef GYRE_UV_HOOK
