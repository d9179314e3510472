// SPDX-License-Identifier: Apache-2.0
#include "gyre/app/runtime.hpp"

#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/thread.hpp"

namespace gyre {

// The objects that a loop's thread makes and destroys; the loop is destroyed first.
struct Runtime::Parts {
    std::unique_ptr<Platform> platform;
    std::unique_ptr<Machine> app;
    std::optional<Loop> loop;
};

Runtime::Runtime(RuntimeOptions options)
    : options_(std::move(options)),
      loop_count_(options_.loop_count == 0 ? platform::usable_cores() : options_.loop_count),
      spin_max_(options_.loop.spin_max),
      own_peers_(options_.peers == nullptr ? loop_count_ + options_.first_thread - 1 : 0),
      slots_(loop_count_) {
    GYRE_ASSERT(options_.make_platform != nullptr, "RuntimeOptions::make_platform is not set");
    GYRE_ASSERT(options_.make_app != nullptr, "RuntimeOptions::make_app is not set");
    GYRE_ASSERT(options_.first_thread >= 1, "loops are numbered from 1: first_thread is 0");
    choose_cores();
}

Runtime::~Runtime() {
    stop();
    join();
}

// A loop that shares its core is not pinned to it and does not spin while it waits.
void Runtime::choose_cores() {
    const std::uint32_t usable = platform::usable_cores();
    const std::uint32_t before = options_.first_thread - 1;  // the loops of the caller
    const std::uint32_t all = before + loop_count_;
    if (all > usable) spin_max_ = Duration(0);
    const std::vector<int> cores = platform::cores_of_this_thread();
    if (all < 2 || all > usable || all > cores.size()) return;
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].core = cores[before + i];
}

Result<void> Runtime::start() {
    {
        const std::lock_guard lock(mutex_);
        GYRE_ASSERT(!is_started_, "a runtime is started once: make another one");
        is_started_ = true;
    }
    const ThreadId end = options_.first_thread + loop_count_;
    for (ThreadId thread = options_.first_thread; thread < end; ++thread) {
        slot_of(thread).observer =
            options_.observer_of != nullptr ? options_.observer_of(thread) : options_.loop.observer;
    }
    for (ThreadId thread = options_.first_thread; thread < end; ++thread) {
        try {
            slot_of(thread).thread = std::thread([this, thread] { run_loop(thread); });
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

// This loop and all after it have no thread: the loops before it must not wait for them.
void Runtime::give_up_from(ThreadId thread, Error error) noexcept {
    const std::lock_guard lock(mutex_);
    error_ = error;
    made_count_ += options_.first_thread + loop_count_ - thread;
    changed_.notify_all();
}

void Runtime::stop() noexcept {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (LoopSlot& slot : slots_) {
        if (slot.loop != nullptr) slot.loop->stop();
    }
}

void Runtime::join() {
    {
        const std::lock_guard lock(mutex_);
        is_joining_ = true;
        changed_.notify_all();
    }
    for (LoopSlot& slot : slots_) {
        GYRE_ASSERT(slot.thread.get_id() != std::this_thread::get_id(),
                    "a loop's thread joins its own runtime: call stop there, and join elsewhere");
        if (slot.thread.joinable()) slot.thread.join();
    }
}

bool Runtime::post(ThreadId thread, Op& op) noexcept {
    if (!has(thread)) return false;
    // The lock keeps the loop alive between the post and the wake that follows it.
    const std::lock_guard lock(mutex_);
    Loop* loop = slot_of(thread).loop;
    return loop != nullptr && loop->post(op);
}

MachineRef Runtime::app_ref(ThreadId thread) const noexcept {
    return has(thread) ? slots_[thread - options_.first_thread].app : MachineRef{};
}

Random Runtime::random_for(ThreadId thread) const noexcept {
    Random mixer(options_.seed);
    return Random(mixer.next() + thread);
}

// The body of a loop's thread: make, wait for the others, run, close, wait for the others.
void Runtime::run_loop(ThreadId thread) noexcept {
    LoopSlot& slot = slot_of(thread);
    platform::name_this_thread("gyre-" + std::to_string(thread));
    if (slot.core >= 0 && !platform::pin_this_thread(slot.core)) {
        log(LogLevel::info, "loop %u is not pinned to core %d: the system refused", thread,
            slot.core);
    }
    Parts parts;
    std::optional<Error> error;
    try {
        error = make_parts(thread, parts);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        exception_ = std::current_exception();
    }
    if (!wait_until_all_made(slot, parts, error)) return;
    if (options_.on_started != nullptr) options_.on_started(*this, *parts.loop, *parts.app);
    (void)parts.loop->run_until_stopped();
    parts.loop->close();
    if (options_.on_closed != nullptr) options_.on_closed(thread);
    wait_until_all_closed(slot);
}

std::optional<Error> Runtime::make_parts(ThreadId thread, Parts& parts) {
    Result<std::unique_ptr<Platform>> platform = options_.make_platform(thread);
    if (!platform) return platform.error();
    parts.platform = std::move(*platform);
    parts.app = options_.make_app(thread);
    GYRE_ASSERT(parts.app != nullptr, "make_app made no machine for loop %u", thread);
    LoopOptions options = options_.loop;
    options.thread_id = thread;
    options.peers = options_.peers != nullptr ? options_.peers : &own_peers_;
    options.spin_max = spin_max_;
    options.observer = slot_of(thread).observer;
    parts.loop.emplace(*parts.platform, *parts.app, options);
    return {};
}

// No loop turns before all exist, because an op may go to any of them. False if one could not be
// made.
bool Runtime::wait_until_all_made(LoopSlot& slot, Parts& parts,
                                  std::optional<Error> error) noexcept {
    std::unique_lock lock(mutex_);
    if (error) error_ = error;
    if (parts.loop) {
        slot.loop = &*parts.loop;
        slot.app = parts.loop->app_ref();
        if (is_stopping_) parts.loop->stop();
    }
    ++made_count_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return made_count_ == loop_count_; });
    if (!error_ && !exception_) return true;
    slot.loop = nullptr;
    return false;
}

// No loop is destroyed before all are closed, because others may still post to it. Loops of the
// caller are closed when it joins.
void Runtime::wait_until_all_closed(LoopSlot& slot) noexcept {
    std::unique_lock lock(mutex_);
    slot.loop = nullptr;
    ++closed_count_;
    changed_.notify_all();
    changed_.wait(lock, [this] {
        const bool are_callers_closed = options_.peers == nullptr || is_joining_;
        return closed_count_ == loop_count_ && are_callers_closed;
    });
}

}  // namespace gyre
