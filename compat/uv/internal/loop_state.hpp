// SPDX-License-Identifier: Apache-2.0
// The state behind a uv_loop_t and behind each handle. The structs of the interface belong to the
// program; what gyre needs is allocated by the init functions and freed after the close callback.
// uv_loop_t::internal_fields points to the LoopState, uv_handle_t::next_closing to the HandleState.
//
// Thread: as libuv, one thread at a time uses a loop. A loop that does not run belongs to the thread
// that calls next. On another thread, functions that start, stop or close a handle, or start or cancel
// a request, are posted to the loop (`is_elsewhere`, `post`) before they touch anything but
// uv_handle_t::loop. A handle may be made, opened and bound on another thread, which posts what
// concerns the loop. The other functions are for the loop's thread.
#pragma once

#include <memory>

#include "compat/uv/internal/descriptor.hpp"
#include "compat/uv/internal/folder_watches.hpp"
#include "compat/uv/internal/inspection.hpp"
#include "compat/uv/internal/newer.hpp"
#include "compat/uv/internal/passive.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::uv {

struct AllLinks;
struct FedLinks;
class LoopState;

// What runs in the next pending phase although no descriptor is ready: callbacks of results that
// were known in the call, and reading that was interrupted to be fair.
class Fed : public Link<FedLinks> {
public:
    virtual void on_fed() noexcept = 0;

protected:
    ~Fed() {
        if (is_linked()) unlink();
    }
};

class Feeder final : public handle::ActiveRequest {
public:
    explicit Feeder(handle::PhasedLoop& loop) noexcept
        : ActiveRequest(std::source_location::current()), loop_(loop) {}
    [[nodiscard]] const char* kind() const noexcept override { return "pending callbacks"; }
    void feed(Fed& fed) noexcept {
        if (fed.is_linked()) return;
        waiting_.push_back(fed);
        if (is_active()) return;
        begin(loop_);
        defer();
    }
    // The next pending phase has nothing to do for it, and the loop does not stay alive for that.
    void take_back(Fed& fed) noexcept {
        if (!fed.is_linked()) return;
        fed.unlink();
        if (!waiting_.empty() || !is_active()) return;
        static_cast<Link<handle::PendingLinks>&>(*this).unlink();
        end();
    }

private:
    void on_pending() noexcept override;

    handle::PhasedLoop& loop_;
    Queue<Fed, FedLinks> waiting_;
};

// Keeps the loop alive while requests are active that gyre/handle does not know.
class RequestCount final : public handle::ActiveRequest {
public:
    RequestCount() noexcept : ActiveRequest(std::source_location::current()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "uv request"; }
    void add(handle::PhasedLoop& loop) noexcept {
        if (count_++ == 0) begin(loop);
    }
    void remove() noexcept {
        if (--count_ == 0) end();
    }

private:
    std::size_t count_ = 0;
};

// The state of one handle. Freed when its close callback is due.
class HandleState : public Link<AllLinks> {
public:
    HandleState(LoopState& loop, uv_handle_t* uv) noexcept;
    HandleState(const HandleState&) = delete;
    HandleState& operator=(const HandleState&) = delete;
    virtual ~HandleState();

    [[nodiscard]] virtual handle::Handle& base() noexcept = 0;
    // In uv_close: gives back descriptors and stops what does not stop with `base()`.
    virtual void on_close() noexcept {}
    // Before the close callback: ends the requests that are left.
    virtual void on_closed() noexcept {}
    void close(uv_close_cb callback) noexcept;
    [[nodiscard]] LoopState& loop() const noexcept { return loop_; }
    [[nodiscard]] uv_handle_t* uv() const noexcept { return uv_; }
    [[nodiscard]] bool is_internal() const noexcept { return (uv_->flags & 4u) != 0; }
    // Null unless the process is inspected.
    [[nodiscard]] const void* made_by() const noexcept { return made_by_; }

private:
    void finish() noexcept;

    LoopState& loop_;
    uv_handle_t* uv_;
    const void* made_by_ = nullptr;
};

class LoopState {
public:
    LoopState(uv_loop_t* uv, std::unique_ptr<Platform> platform);
    ~LoopState();
    LoopState(const LoopState&) = delete;
    LoopState& operator=(const LoopState&) = delete;

    // Of a loop that was initialised. A loop that does not run becomes the calling thread's.
    static LoopState& of(const uv_loop_t* loop) noexcept;

    [[nodiscard]] bool is_busy() noexcept;
    void begin_request() noexcept;
    void end_request() noexcept;

    uv_loop_t* const uv;
    std::unique_ptr<Platform> platform;
    const std::unique_ptr<InspectedLoop> inspected;  // null unless the process is inspected
    handle::PhasedLoop phased;
    Feeder feeder{phased};
    // Active while the program itself counts in uv_loop_t::active_handles.
    Passive external{phased, "counted by the program"};
    void count_external() noexcept { external.set_active(uv->active_handles > 0); }
    // Whether a second watcher of the descriptor is refused. Elsewhere the loop finds out.
    [[nodiscard]] bool has_watcher(int fd) const noexcept {
        return phased.is_here() && watched.has(fd);
    }
    Queue<HandleState, AllLinks> handles;
    Atomic<bool> is_running{false};
    bool measures_idle_time = false;
    Watched watched;
    int spare_fd = -1;  // given up to refuse a connection when there are no descriptors
    std::unique_ptr<FolderWatches> folder_watches;

private:
    RequestCount requests_;
};

// Whether another thread runs the loop.
[[nodiscard]] inline bool is_elsewhere(const uv_loop_t* loop) noexcept {
    return !LoopState::of(loop).phased.is_here();
}

// Calls the function on the loop's thread. What it needs of the caller's it has copied.
template <class Function>
void post(const uv_loop_t* loop, Function function) noexcept {
    (void)LoopState::of(loop).phased.call(std::move(function));
}

// For a function that another thread may call: whether it was posted, to be called again by the
// loop's thread.
template <class Function>
[[nodiscard]] bool carry(const uv_loop_t* loop, Function again) noexcept {
    if (!is_elsewhere(loop)) [[likely]]
        return false;
    post(loop, std::move(again));
    return true;
}

// A request that was posted did not start: its callback tells why.
template <class Request, class Uv, class Callback>
void refuse(Request* request, Uv* handle, Callback callback, int status) noexcept {
    request->handle = handle;
    if (callback != nullptr) callback(request, status);
}

// The clock of all loops.
[[nodiscard]] platform::SystemClock& system_clock() noexcept;
// The threads for blocking work, for all loops: UV_THREADPOOL_SIZE of them, made with the first
// work.
[[nodiscard]] Offload& shared_pool() noexcept;

// ---- From the structs of the interface ----

template <class Uv>
uv_handle_t* as_handle(Uv* uv) noexcept {
    return reinterpret_cast<uv_handle_t*>(uv);
}

// Null before the init, and when the handle is closed.
template <class State, class Uv>
State* state_of(const Uv* uv) noexcept {
    const auto* handle = reinterpret_cast<const uv_handle_t*>(uv);
    return static_cast<State*>(reinterpret_cast<HandleState*>(handle->next_closing));
}
inline HandleState* state_of(const uv_handle_t* uv) noexcept {
    return state_of<HandleState>(uv);
}

// Bits of uv_handle_t::flags.
inline constexpr unsigned flag_closing = 1;
inline constexpr unsigned flag_closed = 2;
inline constexpr unsigned flag_internal = 4;  // not shown to a walk
// At their places in libuv: programs look at them.
inline constexpr unsigned flag_blocking_writes = 0x00100000;
inline constexpr unsigned flag_receives_many = 0x04000000;

[[nodiscard]] inline bool is_closing(const uv_handle_t* uv) noexcept {
    return (uv->flags & (flag_closing | flag_closed)) != 0;
}

// The public fields that every init function sets.
template <class Uv>
void init_fields(uv_loop_t* loop, Uv* uv, uv_handle_type type) noexcept {
    uv_handle_t* handle = as_handle(uv);
    handle->loop = loop;
    handle->type = type;
    handle->close_cb = nullptr;
    handle->flags = 0;
    handle->next_closing = nullptr;
}

// An error of gyre as the interface has it.
[[nodiscard]] inline int error_of(const handle::Status& status) noexcept {
    return status ? 0 : status.error().as_result();
}

[[nodiscard]] inline int result_of(handle::CallResult<handle::Status>&& result) noexcept {
    return error_of(result.get());
}

}  // namespace gyre::uv
