// SPDX-License-Identifier: Apache-2.0
// WaitRoom: where waits of several threads stand until one of them is called, who waits longest
// first. Any thread may use it. It outlives all who wait in it.
//
// How no call is lost: whoever cannot go on enters, and then looks again at what it waits for.
// Whoever changes that calls afterwards. The count and what is looked at are sequentially
// consistent, so one of the two sees the other. Where nobody waits, a call is one look at the
// count; the lock guards the list alone, and no atomic is touched under it.
#pragma once

#include <cstddef>
#include <mutex>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/detail/intrusive.hpp"

namespace gyre {

struct WaitRoomLinks;

// One who waits. Between a call and its arrival it belongs to the caller.
class RoomWait : public Link<WaitRoomLinks> {
public:
    // Once for each time it entered, unless it left; on any thread. It may be gone right after.
    virtual void on_call() noexcept = 0;

protected:
    RoomWait() noexcept = default;
    ~RoomWait() = default;
};

class WaitRoom {
public:
    enum class Place : unsigned char { last, first };

    void enter(RoomWait& wait, Place place = Place::last) noexcept {
        count_.fetch_add(1);
        const std::lock_guard lock(mutex_);
        place == Place::last ? waits_.push_back(wait) : waits_.push_front(wait);
    }
    // False: it is being called, and has to wait for that.
    [[nodiscard]] bool leave(RoomWait& wait) noexcept {
        {
            const std::lock_guard lock(mutex_);
            if (!wait.is_linked()) return false;
            wait.unlink();
        }
        count_.fetch_sub(1);
        return true;
    }

    [[nodiscard]] bool empty() const noexcept { return count_.load() == 0; }
    // False where nobody waits.
    bool call_one() noexcept {
        if (empty()) return false;
        RoomWait* wait = nullptr;
        {
            const std::lock_guard lock(mutex_);
            wait = waits_.pop_front();
        }
        if (wait == nullptr) return false;  // about to enter: it looks again by itself
        count_.fetch_sub(1);
        wait->on_call();
        return true;
    }
    // For a change after which nobody waits again.
    void call_all() noexcept {
        while (call_one()) {
        }
    }

private:
    Atomic<std::size_t> count_{0};
    std::mutex mutex_;
    Queue<RoomWait, WaitRoomLinks> waits_;
};

}  // namespace gyre
