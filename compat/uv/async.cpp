// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/async.hpp"

#include <new>

#include "compat/uv/internal/loop_state.hpp"

namespace gyre::uv {
namespace {

class AsyncState final : public HandleState {
public:
    AsyncState(LoopState& loop, uv_async_t* uv) noexcept
        : HandleState(loop, as_handle(uv)), async(loop.phased) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return async; }
    int start(uv_async_t* uv) noexcept {
        const int status = result_of(async.start([uv](handle::Async&) {
            if (uv->async_cb != nullptr) uv->async_cb(uv);
        }));
        is_started.store(true);
        return status;
    }

    handle::Async async;
    Atomic<bool> is_started{false};  // a send before it would be lost
};

}  // namespace
}  // namespace gyre::uv

int uv_async_init(uv_loop_t* loop, uv_async_t* async, uv_async_cb async_cb) {
    gyre::uv::init_fields(loop, async, UV_ASYNC);
    async->async_cb = async_cb;
    auto* state = new (std::nothrow) gyre::uv::AsyncState(gyre::uv::LoopState::of(loop), async);
    if (state == nullptr) return UV_ENOMEM;
    if (gyre::uv::carry(loop, [=] { (void)state->start(async); })) return 0;
    return state->start(async);
}

int uv_async_send(uv_async_t* async) {
    auto* state = gyre::uv::state_of<gyre::uv::AsyncState>(async);
    if (state == nullptr) return 0;
    if (!state->is_started.load()) [[unlikely]] {
        gyre::uv::post(async->loop, [=] { state->async.send(); });
    } else {
        state->async.send();
    }
    return 0;
}
