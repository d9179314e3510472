// SPDX-License-Identifier: Apache-2.0
// WaitRoom: a queue of waits of several threads, as in an eventcount. A call ends the wait that is
// first in the queue. Any thread may use it. It outlives the waits in it.
//
// No call is lost: a waiter enters the room and then checks its condition again; a caller changes
// the condition and then calls. The count and the condition are sequentially consistent, so one of
// the two sees the other. In an empty room a call is one load of the count. The lock guards only
// the list, and no atomic is touched under it.
#pragma once

#include <cstddef>
#include <mutex>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/detail/intrusive.hpp"

namespace gyre {

struct WaitRoomLinks;

// A wait in the room. Between a call and its arrival it belongs to the calling thread.
class RoomWait : public Link<WaitRoomLinks> {
public:
    // On the calling thread: once for each time it entered, unless it left. The wait may be
    // destroyed as soon as its own thread learns of the call.
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
        GYRE_ASSERT(!wait.is_linked(), "a wait enters a room once: leave it first");
        place == Place::last ? waits_.push_back(wait) : waits_.push_front(wait);
    }
    // False: a call has taken it out, and on_call is on its way.
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
    // False when the room is empty.
    bool call_one() noexcept {
        if (empty()) return false;
        RoomWait* wait = nullptr;
        {
            const std::lock_guard lock(mutex_);
            wait = waits_.pop_front();
        }
        if (wait == nullptr) return false;  // Counted but not in the list yet: it checks again.
        count_.fetch_sub(1);
        wait->on_call();
        return true;
    }
    // For a change after which no wait enters again.
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
