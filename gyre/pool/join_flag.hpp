// SPDX-License-Identifier: Apache-2.0
// JoinFlag: whether a stolen task is done, and who wants to be woken for it. It lives in the task,
// on the stack of the thread that joins it, and may be gone as soon as finish has exchanged it.
//
//   pending ──wait──▶ a waiter's address ──finish──▶ done
//      └──────────────────finish─────────────────────▲
#pragma once

#include <cstdint>

#include "gyre/base/atomic.hpp"

namespace gyre::pool {

template <class Waiter>
class JoinFlag {
public:
    // The thread that joins. Acquire: it sees what the task did.
    [[nodiscard]] bool is_done() const noexcept {
        return state_.load(std::memory_order_acquire) == done;
    }

    // The thread that joins, before it parks. False: done, nobody will wake it. Asked again, it
    // stays the waiter.
    [[nodiscard]] bool wait(Waiter& waiter) noexcept {
        Word seen = pending;
        // Release: whoever finishes may touch the waiter. Acquire: as in is_done.
        return state_.compare_exchange_strong(seen, reinterpret_cast<Word>(&waiter),
                                              std::memory_order_acq_rel,
                                              std::memory_order_acquire) ||
               seen != done;
    }

    // The thread that ran the task, as the last thing it does with it. The waiter to wake, or null.
    // Release: what the task did is seen by the joiner. Acquire: pairs with wait.
    [[nodiscard]] Waiter* finish() noexcept {
        const Word seen = state_.exchange(done, std::memory_order_acq_rel);
        return seen == pending ? nullptr : reinterpret_cast<Waiter*>(seen);
    }

private:
    using Word = std::uintptr_t;
    // No waiter has these addresses.
    static constexpr Word pending = 0;
    static constexpr Word done = 1;

    Atomic<Word> state_{pending};
};

}  // namespace gyre::pool
