// SPDX-License-Identifier: Apache-2.0
// PoolRequest: a request of the interface whose work a thread of the pool does: uv_queue_work, names,
// random bytes, files. uv_req_t::reserved[0] points to it while it is active. Any thread may start
// and cancel one.
#pragma once

#include "compat/uv/internal/loop_state.hpp"
#include "gyre/handle/request.hpp"

namespace gyre::uv {

class PoolRequest {
public:
    using Function = void (*)(uv_req_t* request);
    // 0, or UV_ECANCELED.
    using OnDone = void (*)(uv_req_t* request, int status);

    // Starts it. UV_ENOMEM, or the error of the loop.
    [[nodiscard]] static int start(uv_loop_t* loop, uv_req_t* request, Function work,
                                   OnDone on_done) noexcept;
    // UV_EBUSY when it has begun, or is no such request.
    [[nodiscard]] static int cancel(const uv_loop_t* loop, uv_req_t* request) noexcept;

private:
    PoolRequest(LoopState& loop, uv_req_t* request, Function work, OnDone on_done) noexcept
        : work_(loop.phased), loop_(loop), request_(request), function_(work), on_done_(on_done) {}

    [[nodiscard]] int queue() noexcept;
    void finish(int status) noexcept;

    handle::Work work_;
    LoopState& loop_;
    uv_req_t* request_;
    Function function_;
    OnDone on_done_;
};

}  // namespace gyre::uv
