// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/loop_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "compat/uv/internal/folder_watches.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::uv {
namespace {

constexpr std::uint32_t pool_threads_default = 4;
constexpr std::uint32_t pool_threads_max = 1024;

std::uint32_t pool_thread_count() noexcept {
    const char* text = std::getenv("UV_THREADPOOL_SIZE");
    if (text == nullptr) return pool_threads_default;
    const int wanted = std::atoi(text);
    return static_cast<std::uint32_t>(std::clamp(wanted, 1, static_cast<int>(pool_threads_max)));
}

// All by the same name: programs know libuv's threads by it.
void name_worker() noexcept {
    (void)uv_thread_setname("libuv-worker");
}

// In a forked child the threads are gone: the child gets a pool of its own, and the memory of the
// parent's stays as it is.
class SharedPool final : public Offload {
public:
    bool start(Op& op, Work work, Loop& home) noexcept override {
        return pool().start(op, work, home);
    }
    bool withdraw(Op& op) noexcept override { return pool().withdraw(op); }

private:
    pool::ThreadPool& pool() noexcept {
        const std::lock_guard lock(mutex_);
        if (const std::uint32_t present = platform::process_generation();
            pool_ == nullptr || present != generation_) {
            (void)pool_.release();
            generation_ = present;
            pool_ = std::make_unique<pool::ThreadPool>(pool::ThreadPoolOptions{
                .thread_count = pool_thread_count(),
                // Programs expect that work which follows work gets to all of them.
                .starts_all_threads = true,
                // All are set up with the first job; what is beyond waits in its loop.
                .queued_count_max = std::size_t{1} << 16u,
                .name = "libuv-worker",
                .name_thread = [](std::string_view) noexcept { name_worker(); }});
        }
        return *pool_;
    }

    std::mutex mutex_;
    std::unique_ptr<pool::ThreadPool> pool_;
    std::uint32_t generation_ = 0;
};

std::unique_ptr<InspectedLoop> inspect(LoopState& loop) {
    Inspection* const inspection = Inspection::of_process();
    return inspection == nullptr ? nullptr : inspection->add(loop);
}

// Tells `gyre uv`, which gave the descriptor, that a program has loaded the library.
[[gnu::constructor]] void report_load() noexcept {
    const char* text = std::getenv("GYRE_UV_REPORT_FD");
    if (text == nullptr) return;
    const char byte = 1;
    (void)!::write(std::atoi(text), &byte, sizeof byte);
}

}  // namespace

platform::SystemClock& system_clock() noexcept {
    static platform::SystemClock clock;
    return clock;
}

// Never destroyed: its threads may be in the program's work when the process ends.
Offload& shared_pool() noexcept {
    static auto* const only = new SharedPool;
    return *only;
}

// Callbacks that are fed meanwhile run in the next pending phase.
void Feeder::on_pending() noexcept {
    end();
    Queue<Fed, FedLinks> batch;
    batch.take_all(waiting_);
    while (Fed* fed = batch.pop_front()) fed->on_fed();
}

LoopState::LoopState(uv_loop_t* of, std::unique_ptr<Platform> of_platform)
    : uv(of),
      platform(std::move(of_platform)),
      inspected(inspect(*this)),
      phased(*platform, LoopOptions{.offload = &shared_pool(), .observer = inspected.get()},
             // As many as the program makes: the interface has no error for one more.
             {.call_count_max = std::numeric_limits<std::size_t>::max()}) {}

LoopState::~LoopState() {
    if (inspected != nullptr) Inspection::of_process()->remove(*this);
    if (spare_fd >= 0) ::close(spare_fd);
    if (folder_watches != nullptr) folder_watches->close();
    (void)external.close();
    (void)phased.run(handle::RunMode::no_wait);
    while (phased.closing_handle_count() > 0) (void)phased.run(handle::RunMode::no_wait);
    (void)phased.close();
}

LoopState& LoopState::of(const uv_loop_t* loop) noexcept {
    auto& state = *static_cast<LoopState*>(loop->internal_fields);
    if (!state.phased.is_here() && !state.is_running.load()) state.phased.adopt();
    return state;
}

bool LoopState::is_busy() noexcept {
    bool is_any = phased.active_request_count() > (feeder.is_active() ? 1 : 0);
    handles.for_each([&](HandleState& handle) { is_any = is_any || !handle.is_internal(); });
    return is_any;
}

void LoopState::begin_request() noexcept {
    requests_.add(phased);
    ++uv->active_reqs.count;
}

void LoopState::end_request() noexcept {
    requests_.remove();
    --uv->active_reqs.count;
}

// One that another thread makes joins the loop's list there, before what that thread does with it.
HandleState::HandleState(LoopState& loop, uv_handle_t* uv) noexcept : loop_(loop), uv_(uv) {
    uv->next_closing = reinterpret_cast<uv_handle_t*>(this);
    if (loop.inspected != nullptr) made_by_ = Inspection::caller();
    const auto join = [this] { loop_.handles.push_back(*this); };
    if (!carry(uv->loop, join)) join();
}

HandleState::~HandleState() {
    if (is_linked()) unlink();
}

void HandleState::close(uv_close_cb callback) noexcept {
    uv_->flags |= flag_closing;
    uv_->close_cb = callback;
    on_close();
    (void)base().close([this](handle::Handle&) { finish(); });
}

// The state is freed before the callback, which may free the struct or use it for another handle.
void HandleState::finish() noexcept {
    on_closed();
    uv_handle_t* const uv = uv_;
    uv->flags = (uv->flags | flag_closed) & ~flag_closing;
    uv->next_closing = nullptr;
    delete this;
    if (uv->close_cb != nullptr) uv->close_cb(uv);
}

}  // namespace gyre::uv
