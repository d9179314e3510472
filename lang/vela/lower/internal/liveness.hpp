// SPDX-License-Identifier: Apache-2.0
// Liveness: which registers hold something that is read later. Found by walking backwards from each
// read to the writes that it may see; so the work grows with how long values live, and the memory
// with the code. A value; looks at the Code only while it is made.
#pragma once

#include "lang/vela/lower/internal/flow.hpp"

namespace gyre::vela {

class Liveness {
public:
    explicit Liveness(const Code& code);

    // Whether what the instruction writes is read by any.
    [[nodiscard]] bool is_read(std::uint32_t at) const { return is_read_[at]; }
    // What must be kept while the machine rests at an instruction that suspends.
    [[nodiscard]] const std::vector<Register>& kept_at(std::uint32_t at) const;
    // What is read before it is written.
    [[nodiscard]] const std::vector<Register>& kept_at_start() const { return at_start_; }

private:
    std::vector<bool> is_read_;
    std::unordered_map<std::uint32_t, std::vector<Register>> kept_;
    std::vector<Register> at_start_;
};

}  // namespace gyre::vela
