// SPDX-License-Identifier: Apache-2.0
#include "gyre/app/runtime.hpp"

#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/thread.hpp"

namespace gyre::platform {

// What one thread makes and destroys; the loop goes first.
struct Runtime::Parts {
    std::unique_ptr<Platform> platform;
    std::unique_ptr<Machine> app;
    std::optional<Loop> loop;
};

Runtime::Runtime(RuntimeOptions options)
    : options_(std::move(options)),
      loop_count_(options_.loop_count == 0 ? usable_cores() : options_.loop_count),
      spin_max_(options_.loop.spin_max),
      peers_(loop_count_),
      seats_(loop_count_) {
    GYRE_ASSERT(options_.make_platform != nullptr, "RuntimeOptions::make_platform is not set");
    GYRE_ASSERT(options_.make_app != nullptr, "RuntimeOptions::make_app is not set");
    choose_cores();
}

Runtime::~Runtime() {
    stop();
    join();
}

// A loop that shares its core must neither be tied to it nor burn it while it waits.
void Runtime::choose_cores() {
    const std::uint32_t usable = usable_cores();
    if (loop_count_ > usable) spin_max_ = Duration(0);
    const std::vector<int> cores = cores_of_this_thread();
    if (loop_count_ < 2 || loop_count_ > usable || loop_count_ > cores.size()) return;
    for (std::size_t i = 0; i < seats_.size(); ++i) seats_[i].core = cores[i];
}

Result<void> Runtime::start() {
    {
        const std::lock_guard lock(mutex_);
        GYRE_ASSERT(!is_started_, "a runtime is started once: make another one");
        is_started_ = true;
    }
    for (ThreadId thread = 1; thread <= loop_count_; ++thread) {
        seat_of(thread).observer =
            options_.observer_of != nullptr ? options_.observer_of(thread) : options_.loop.observer;
    }
    for (ThreadId thread = 1; thread <= loop_count_; ++thread) {
        try {
            seat_of(thread).thread = std::thread([this, thread] { run_seat(thread); });
        } catch (const std::system_error& error) {
            give_up_from(thread, Error(static_cast<std::errc>(error.code().value())));
            break;
        } catch (const std::bad_alloc&) {
            give_up_from(thread, Error(std::errc::not_enough_memory));
            break;
        }
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return made_count_ == loop_count_; });
    if (!error_ && !exception_) return {};
    lock.unlock();
    join();
    if (exception_) std::rethrow_exception(exception_);
    return std::unexpected(*error_);
}

// There is no thread for this loop, and none for those after it: the others must not wait for them.
void Runtime::give_up_from(ThreadId thread, Error error) noexcept {
    const std::lock_guard lock(mutex_);
    error_ = error;
    made_count_ += loop_count_ - thread + 1;
    changed_.notify_all();
}

void Runtime::stop() noexcept {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (Seat& seat : seats_) {
        if (seat.loop != nullptr) seat.loop->stop();
    }
}

void Runtime::join() {
    for (Seat& seat : seats_) {
        GYRE_ASSERT(seat.thread.get_id() != std::this_thread::get_id(),
                    "a loop's thread joins its own runtime: call stop there, and join elsewhere");
        if (seat.thread.joinable()) seat.thread.join();
    }
}

bool Runtime::post(ThreadId thread, Op& op) noexcept {
    if (thread == 0 || thread > loop_count_) return false;
    // Under the lock the loop stays, also between the post and the wake that follows it.
    const std::lock_guard lock(mutex_);
    Loop* loop = seat_of(thread).loop;
    return loop != nullptr && loop->post(op);
}

MachineRef Runtime::app_ref(ThreadId thread) const noexcept {
    return thread == 0 || thread > loop_count_ ? MachineRef{} : seats_[thread - 1].app;
}

Random Runtime::random_for(ThreadId thread) const noexcept {
    Random mixer(options_.seed);
    return Random(mixer.next() + thread);
}

// The life of a loop's thread, from one meeting to the next.
void Runtime::run_seat(ThreadId thread) noexcept {
    Seat& seat = seat_of(thread);
    name_this_thread("gyre-" + std::to_string(thread));
    if (seat.core >= 0 && !pin_this_thread(seat.core)) {
        log(LogLevel::info, "loop %u is not tied to core %d: the system refused", thread,
            seat.core);
    }
    Parts parts;
    std::optional<Error> error;
    try {
        error = make_parts(thread, parts);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        exception_ = std::current_exception();
    }
    if (!meet_when_made(seat, parts, error)) return;
    if (options_.on_started != nullptr) options_.on_started(*this, *parts.loop, *parts.app);
    (void)parts.loop->run_until_stopped();
    parts.loop->close();
    meet_when_closed(seat);
}

std::optional<Error> Runtime::make_parts(ThreadId thread, Parts& parts) {
    Result<std::unique_ptr<Platform>> platform = options_.make_platform(thread);
    if (!platform) return platform.error();
    parts.platform = std::move(*platform);
    parts.app = options_.make_app(thread);
    GYRE_ASSERT(parts.app != nullptr, "make_app made no machine for loop %u", thread);
    LoopOptions options = options_.loop;
    options.thread_id = thread;
    options.peers = &peers_;
    options.spin_max = spin_max_;
    options.observer = seat_of(thread).observer;
    parts.loop.emplace(*parts.platform, *parts.app, options);
    return {};
}

// No loop turns before all are there: an op may go to any of them. False when one is not.
bool Runtime::meet_when_made(Seat& seat, Parts& parts, std::optional<Error> error) noexcept {
    std::unique_lock lock(mutex_);
    if (error) error_ = error;
    if (parts.loop) {
        seat.loop = &*parts.loop;
        seat.app = parts.loop->app_ref();
        if (is_stopping_) parts.loop->stop();
    }
    ++made_count_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return made_count_ == loop_count_; });
    if (!error_ && !exception_) return true;
    seat.loop = nullptr;
    return false;
}

// No loop goes before all are closed: others may still post to it.
void Runtime::meet_when_closed(Seat& seat) noexcept {
    std::unique_lock lock(mutex_);
    seat.loop = nullptr;
    ++closed_count_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return closed_count_ == loop_count_; });
}

}  // namespace gyre::platform
