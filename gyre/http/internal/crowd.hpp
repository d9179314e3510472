// SPDX-License-Identifier: Apache-2.0
// Crowd: notices that most of many connections have ended, so that the memory they had can go back to
// the system. A value; one thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gyre::http {

class Crowd {
public:
    static constexpr std::size_t count_min = 256;
    static constexpr std::size_t left_part = 8;

    // Called from time to time with the number of connections. True once for a crowd of which no more
    // than an eighth is left.
    [[nodiscard]] bool has_left(std::size_t count) noexcept {
        peak_ = std::max(peak_, count);
        if (peak_ < count_min || count > peak_ / left_part) return false;
        peak_ = count;
        return true;
    }

private:
    std::size_t peak_ = 0;
};

}  // namespace gyre::http
