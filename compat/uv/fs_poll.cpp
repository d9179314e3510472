// SPDX-License-Identifier: Apache-2.0
// uv_fs_poll_*: changes of a file, found by asking for its status again and again.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "compat/uv/internal/loop_state.hpp"
#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/passive.hpp"
#include "gyre/handle/timer.hpp"

namespace gyre::uv {
namespace {

bool is_same(const uv_timespec_t& a, const uv_timespec_t& b) noexcept {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_same(const uv_stat_t& a, const uv_stat_t& b) noexcept {
    return is_same(a.st_ctim, b.st_ctim) && is_same(a.st_mtim, b.st_mtim) &&
           is_same(a.st_birthtim, b.st_birthtim) && a.st_size == b.st_size &&
           a.st_mode == b.st_mode && a.st_uid == b.st_uid && a.st_gid == b.st_gid &&
           a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_flags == b.st_flags &&
           a.st_gen == b.st_gen;
}

constexpr uv_stat_t no_status{};

// One start of a handle, from there to the answer that comes after its stop: uv_fs_poll_t::poll_ctx.
class Watch {
public:
    Watch(LoopState& loop, uv_fs_poll_t* handle, Passive& passive, const char* of,
          unsigned interval, uv_fs_poll_cb callback)
        : path(of),
          loop_(loop),
          handle_(handle),
          passive_(passive),
          timer_(loop.phased),
          interval_(std::max(interval, 1u)),
          callback_(callback) {
        (void)timer_.unref();
        started_at_ = loop.phased.now();
        passive_.hold();
    }
    ~Watch() { passive_.let_go(); }

    [[nodiscard]] int ask() noexcept {
        is_asking_ = true;
        request_.data = this;
        const int status = uv_fs_stat(loop_.uv, &request_, path.c_str(), [](uv_fs_t* request) {
            static_cast<Watch*>(request->data)->on_answer();
        });
        if (status < 0) is_asking_ = false;
        return status;
    }
    void stop() noexcept {
        handle_ = nullptr;
        if (!is_asking_) end();
    }

    const std::string path;

private:
    void on_answer() noexcept {
        is_asking_ = false;
        const auto error = static_cast<int>(request_.result);
        const uv_stat_t status = request_.statbuf;
        uv_fs_req_cleanup(&request_);
        if (handle_ == nullptr) return end();
        tell(error, status);
        if (handle_ == nullptr) return end();
        wait();
    }

    void tell(int error, const uv_stat_t& status) noexcept {
        if (error < 0) {
            if (last_error_ != error) {
                last_error_ = error;
                has_status_ = true;
                is_telling_ = true;
                callback_(handle_, error, &status_, &no_status);
                is_telling_ = false;
            }
            return;
        }
        const bool must_tell = has_status_ && (last_error_ < 0 || !is_same(status_, status));
        const uv_stat_t before = status_;
        status_ = status;
        has_status_ = true;
        last_error_ = 0;
        if (must_tell) {
            is_telling_ = true;
            callback_(handle_, 0, &before, &status);
            is_telling_ = false;
        }
    }

    // Until the next multiple of the interval, so that slow answers do not add up.
    void wait() noexcept {
        const Duration interval = std::chrono::milliseconds(interval_);
        const Duration passed = loop_.phased.now() - started_at_;
        (void)timer_.start(
            [this](handle::Timer&) {
                if (ask() < 0) end();
            },
            interval - passed % interval);
    }

    void end() noexcept {
        if (is_telling_) return;  // on_answer sees it
        (void)timer_.close([this](handle::Handle&) { delete this; });
    }

    LoopState& loop_;
    uv_fs_poll_t* handle_;  // null once it is stopped
    Passive& passive_;      // outlives it
    handle::Timer timer_;
    unsigned interval_;
    uv_fs_poll_cb callback_;
    Instant started_at_;
    uv_fs_t request_{};
    uv_stat_t status_{};
    int last_error_ = 0;
    bool has_status_ = false;
    bool is_asking_ = false;
    bool is_telling_ = false;
};

class FsPollState final : public HandleState {
public:
    FsPollState(LoopState& loop, uv_fs_poll_t* poll) noexcept
        : HandleState(loop, as_handle(poll)), passive(loop.phased, "fs_poll"), poll_(poll) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return passive; }
    void on_close() noexcept override { (void)uv_fs_poll_stop(poll_); }

    Passive passive;

private:
    uv_fs_poll_t* poll_;
};

}  // namespace
}  // namespace gyre::uv

int uv_fs_poll_init(uv_loop_t* loop, uv_fs_poll_t* handle) {
    gyre::uv::init_fields(loop, handle, UV_FS_POLL);
    handle->poll_ctx = nullptr;
    auto* state = new (std::nothrow) gyre::uv::FsPollState(gyre::uv::LoopState::of(loop), handle);
    return state == nullptr ? UV_ENOMEM : 0;
}

int uv_fs_poll_start(uv_fs_poll_t* handle, uv_fs_poll_cb poll_cb, const char* path,
                     unsigned int interval) {
    if (gyre::uv::is_elsewhere(handle->loop)) {
        gyre::uv::post(handle->loop, [=, copy = std::string(path)] {
            const int status = uv_fs_poll_start(handle, poll_cb, copy.c_str(), interval);
            const uv_stat_t none{};
            if (status < 0) poll_cb(handle, status, &none, &none);
        });
        return 0;
    }
    if (uv_is_active(gyre::uv::as_handle(handle)) != 0) return 0;
    auto& loop = gyre::uv::LoopState::of(handle->loop);
    auto& passive = gyre::uv::state_of<gyre::uv::FsPollState>(handle)->passive;
    auto* watch =
        new (std::nothrow) gyre::uv::Watch(loop, handle, passive, path, interval, poll_cb);
    if (watch == nullptr) return UV_ENOMEM;
    if (const int status = watch->ask(); status < 0) {
        watch->stop();
        return status;
    }
    handle->poll_ctx = watch;
    passive.set_active(true);
    return 0;
}

int uv_fs_poll_stop(uv_fs_poll_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_fs_poll_stop(handle); })) return 0;
    auto* state = gyre::uv::state_of<gyre::uv::FsPollState>(handle);
    if (state == nullptr || !state->passive.is_active()) return 0;
    static_cast<gyre::uv::Watch*>(std::exchange(handle->poll_ctx, nullptr))->stop();
    state->passive.set_active(false);
    return 0;
}

int uv_fs_poll_getpath(uv_fs_poll_t* handle, char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    if (handle->poll_ctx == nullptr) {
        *size = 0;
        return UV_EINVAL;
    }
    return gyre::uv::put_text(static_cast<gyre::uv::Watch*>(handle->poll_ctx)->path, buffer, size);
}
