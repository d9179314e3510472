// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/pool_request.hpp"

#include <new>

namespace gyre::uv {

int PoolRequest::start(uv_loop_t* loop, uv_req_t* request, Function work, OnDone on_done) noexcept {
    LoopState& state = LoopState::of(loop);
    auto* made = new (std::nothrow) PoolRequest(state, request, work, on_done);
    if (made == nullptr) return UV_ENOMEM;
    request->reserved[0] = made;
    const auto queue_there = [made] {
        ++made->loop_.uv->active_reqs.count;
        const int status = made->queue();
        if (status < 0) made->finish(status);
    };
    if (carry(loop, queue_there)) return 0;
    const int status = made->queue();
    if (status < 0) {
        request->reserved[0] = nullptr;
        delete made;
        return status;
    }
    ++loop->active_reqs.count;
    return 0;
}

int PoolRequest::queue() noexcept {
    return result_of(
        work_.queue([this] { function_(request_); },
                    [this](handle::Work&, handle::Status done) { finish(error_of(done)); }));
}

int PoolRequest::cancel(const uv_loop_t* loop, uv_req_t* request) noexcept {
    if (carry(loop, [=] { (void)cancel(loop, request); })) return 0;
    auto* made = static_cast<PoolRequest*>(request->reserved[0]);
    if (made == nullptr) return UV_EBUSY;
    return result_of(made->work_.cancel());
}

// The callback may free the request or start it again.
void PoolRequest::finish(int status) noexcept {
    uv_req_t* const request = request_;
    const OnDone on_done = on_done_;
    --loop_.uv->active_reqs.count;
    request->reserved[0] = nullptr;
    delete this;
    on_done(request, status);
}

}  // namespace gyre::uv
