// SPDX-License-Identifier: Apache-2.0
// The decisions of one run, and the way from one run to the next: a depth-first walk over all of
// them. A run starts from scratch and replays the decisions recorded so far, then takes the first
// alternative of each new one; advance() moves the deepest decision that has an alternative left.
// Belongs to one exploration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace model {

class Choices {
public:
    void begin_run() noexcept { position_ = 0; }

    // One of `count` alternatives, numbered from 0. A single alternative is no decision.
    [[nodiscard]] std::uint32_t choose(std::uint32_t count);

    // False when every run has been made.
    [[nodiscard]] bool advance();

private:
    struct Decision {
        std::uint32_t chosen;
        std::uint32_t count;
    };
    std::vector<Decision> decisions_;
    std::size_t position_ = 0;
};

}  // namespace model
