// SPDX-License-Identifier: Apache-2.0
// Flow: the control flow graph of a Code: successors and predecessors of each instruction. A value;
// reads the Code only in its constructor.
#pragma once

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

struct Edge {
    std::uint32_t at = 0;   // the instruction at the other end
    bool is_throw = false;  // taken if the source throws, before it writes its result
};

class Flow {
public:
    explicit Flow(const Code& code);

    [[nodiscard]] std::span<const Edge> out_of(std::uint32_t at) const { return out_.of(at); }
    [[nodiscard]] std::span<const Edge> into(std::uint32_t at) const { return in_.of(at); }

private:
    struct Lists {
        std::vector<std::uint32_t> begins;
        std::vector<Edge> edges;

        [[nodiscard]] std::span<const Edge> of(std::uint32_t at) const {
            return std::span(edges).subspan(begins[at], begins[at + 1] - begins[at]);
        }
    };

    Lists out_;
    Lists in_;
};

}  // namespace gyre::vela
