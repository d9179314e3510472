// SPDX-License-Identifier: Apache-2.0
// Counts the calls of all forms of the global operator new. Any thread may allocate; the counts are
// those of the whole process and never decrease.
#pragma once

#include <cstdint>

namespace gyre::allocation {

// A sanitizer sees every frame, so the pools are off.
#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
inline constexpr bool has_pools = false;
#    else
inline constexpr bool has_pools = true;
#    endif
#else
inline constexpr bool has_pools = true;
#endif

struct Allocations {
    std::uint64_t count = 0;
    std::uint64_t size_bytes = 0;
};

[[nodiscard]] Allocations allocations_so_far() noexcept;

// What was allocated since it was made.
class Since {
public:
    Since() noexcept : start_(allocations_so_far()) {}
    [[nodiscard]] std::uint64_t count() const noexcept {
        return allocations_so_far().count - start_.count;
    }
    [[nodiscard]] std::uint64_t size_bytes() const noexcept {
        return allocations_so_far().size_bytes - start_.size_bytes;
    }

private:
    const Allocations start_;
};

}  // namespace gyre::allocation
