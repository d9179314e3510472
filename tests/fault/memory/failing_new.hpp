// SPDX-License-Identifier: Apache-2.0
// An operator new that fails the n-th allocation of the process, on any thread, and counts live
// allocations; or all allocations fail, those of malloc too. Any thread may allocate; one test at a
// time chooses.
#pragma once

namespace gyre::test {

// Counted from 1 and from now; 0: none.
void refuse_allocation(long number) noexcept;
// Whether the allocation to be refused was asked for; stops refusing.
[[nodiscard]] bool stop_refusing() noexcept;
[[nodiscard]] long allocations_alive() noexcept;

enum class Refused { none, every_new, every_new_and_malloc };
void refuse_allocations(Refused which) noexcept;
// How many were refused since.
[[nodiscard]] long refusal_count() noexcept;

}  // namespace gyre::test
