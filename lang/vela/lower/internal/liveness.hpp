// SPDX-License-Identifier: Apache-2.0
// Liveness: which registers are read later. Walks backwards from each read to the writes that reach
// it, so the time is proportional to the lifetimes of values and the memory to the code. A value;
// reads the Code only in its constructor.
#pragma once

#include "lang/vela/lower/internal/flow.hpp"

namespace gyre::vela {

class Liveness {
public:
    explicit Liveness(const Code& code);

    // Whether the result of the instruction is read anywhere.
    [[nodiscard]] bool is_read(std::uint32_t at) const { return is_read_[at]; }
    // The registers that a suspension must keep.
    [[nodiscard]] const std::vector<Register>& kept_at(std::uint32_t at) const;
    // The registers that are read before they are written.
    [[nodiscard]] const std::vector<Register>& kept_at_start() const { return at_start_; }

private:
    std::vector<bool> is_read_;
    std::unordered_map<std::uint32_t, std::vector<Register>> kept_;
    std::vector<Register> at_start_;
};

}  // namespace gyre::vela
