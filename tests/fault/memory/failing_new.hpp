// SPDX-License-Identifier: Apache-2.0
// An operator new that refuses the n-th allocation of the process, on whichever thread, and counts
// what is alive. Any thread may allocate meanwhile; one test at a time tells it what to refuse.
#pragma once

namespace gyre::test {

// Counted from 1 and from now; 0: none.
void refuse_allocation(long number) noexcept;
// Whether the allocation to be refused was asked for; stops refusing.
[[nodiscard]] bool stop_refusing() noexcept;
[[nodiscard]] long allocations_alive() noexcept;

}  // namespace gyre::test
