// SPDX-License-Identifier: Apache-2.0
// Semaphore: a number of permits that tasks acquire and release. Mutex: a semaphore of one permit,
// held by one task at a time across its awaits (between awaits a task is alone anyway). Both are
// fair: first come, first served, even if a later request is smaller, so none starves.
//
//     Permits permits = co_await semaphore.acquire(3);   // released by the destructor
//     MutexGuard guard = co_await mutex.lock();          // unlocked by the destructor
//
// Thread: its executor's thread.
// Lifetime: outlives its permits or guards, and the tasks that wait for them.
// Cancel: did nothing. Permits or a lock granted before the request are kept, and released with
// their object.
//
// Give them names: reports about tasks that wait say which object it is, and which task holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

class Semaphore;

// Acquired permits. Move-only; the destructor releases them.
class [[nodiscard]] Permits {
public:
    Permits() noexcept = default;
    Permits(Semaphore& of, std::size_t count) noexcept : of_(&of), count_(count) {}
    Permits(Permits&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    Permits& operator=(Permits&& other) noexcept {
        std::swap(of_, other.of_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~Permits() { release(); }

    [[nodiscard]] explicit operator bool() const noexcept { return of_ != nullptr; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    void release() noexcept;
    // Uses them up: they never go back to the semaphore.
    void consume() noexcept {
        GYRE_ASSERT(of_ != nullptr, "there are no permits to consume: released, or moved from");
        of_ = nullptr;
    }

private:
    Semaphore* of_ = nullptr;
    std::size_t count_ = 0;
};

class Semaphore {
public:
    // The name stands in reports about waiting tasks, and must live as long as the semaphore.
    explicit Semaphore(std::size_t permit_count, const char* name = "") noexcept
        : Semaphore(permit_count, name, Kind::semaphore) {}
    ~Semaphore() {
        GYRE_ASSERT(waiters_.empty(), "%s goes while tasks wait for it: join them first", text());
    }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    [[nodiscard]] auto acquire(std::size_t count = 1) noexcept { return Acquire{*this, count}; }
    // None if there are too few, or a task waits already.
    [[nodiscard]] Permits try_acquire(std::size_t count = 1) noexcept {
        if (!take(count)) return {};
        last_holder_ = 0;  // Not known: the caller need not be a task.
        return Permits(*this, count);
    }
    // Adds permits: acquired ones, or new ones.
    void release(std::size_t count = 1) noexcept {
        count_ += count;
        grant();
    }
    [[nodiscard]] std::size_t available() const noexcept { return count_; }

    class Await final : public ListedWait {
    public:
        Await(PromiseBase& promise, Semaphore& of, std::size_t count) noexcept
            : of_(of), count_(count) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() noexcept {
            if (begin()) return true;
            is_granted_ = of_.take(count_);
            if (!is_granted_) return false;
            of_.last_holder_ = task().id();
            return may_go_on();
        }
        void await_suspend(std::coroutine_handle<> by) noexcept {
            if (is_granted_) {
                go_last(by);
                return;
            }
            of_.waiters_.push_fresh(*this);
            wait(by);
        }
        Permits await_resume() {
            end();
            return Permits(of_, count_);
        }
        void cancel() noexcept override {
            ListedWait::cancel();
            of_.grant();  // The tasks behind it may want fewer permits.
        }
        [[nodiscard]] const char* what() const noexcept override { return of_.text(); }
        [[nodiscard]] WaitTarget target() const noexcept override {
            const bool is_mutex = of_.kind_ == Kind::mutex;
            return {.kind = is_mutex ? "mutex" : "semaphore",
                    .name = of_.name_,
                    .by = is_mutex ? "held by" : "last acquired by",
                    .holds = is_mutex ? "holds" : "acquired",
                    .task_id = of_.last_holder_};
        }

    private:
        friend class Semaphore;
        Semaphore& of_;
        const std::size_t count_;
        bool is_granted_ = false;
    };

private:
    friend class Mutex;
    enum class Kind : std::uint8_t { semaphore, mutex };

    Semaphore(std::size_t permit_count, const char* name, Kind kind) noexcept
        : count_(permit_count), name_(name), kind_(kind) {
        GYRE_ASSERT(name != nullptr, "a semaphore got no name: leave it out for the default");
    }

    struct [[nodiscard]] Acquire {
        Semaphore& of;
        std::size_t count;
        [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept {
            return Await(promise, of, count);
        }
    };

    [[nodiscard]] bool take(std::size_t count) noexcept {
        if (count > count_ || !waiters_.empty()) return false;
        count_ -= count;
        return true;
    }
    void grant() noexcept {
        while (!waiters_.empty() && waiters_.front()->count_ <= count_) {
            Await& first = *waiters_.pop_front();
            count_ -= first.count_;
            last_holder_ = first.task().id();
            first.wake();
        }
    }
    [[nodiscard]] const char* text() const noexcept {
        if (*name_ != '\0') return name_;
        return kind_ == Kind::mutex ? "a mutex" : "a semaphore";
    }

    std::size_t count_;
    Queue<Await, WaitLinks> waiters_;
    const char* const name_;
    std::uint32_t last_holder_ = 0;  // for reports: the task that acquired last; 0: not known
    const Kind kind_;
};

inline void Permits::release() noexcept {
    if (of_ != nullptr) std::exchange(of_, nullptr)->release(count_);
    count_ = 0;
}

using MutexGuard = Permits;

class Mutex {
public:
    explicit Mutex(const char* name = "") noexcept : one_(1, name, Semaphore::Kind::mutex) {}

    [[nodiscard]] auto lock() noexcept { return one_.acquire(); }
    // Converts to false if it is locked.
    [[nodiscard]] MutexGuard try_lock() noexcept { return one_.try_acquire(); }
    [[nodiscard]] bool is_locked() const noexcept { return one_.available() == 0; }

private:
    Semaphore one_;
};

}  // namespace gyre
