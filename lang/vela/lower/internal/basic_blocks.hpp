// SPDX-License-Identifier: Apache-2.0
// BasicBlocks: the control flow of a Code by blocks of instructions that run one after the other.
// An instruction that may throw does not end its block: its edge to the handler is in a ThrowGroup.
// RegisterPlaces: for each register the instructions that read or write it. Values; they read the
// Code only in their constructors.
#pragma once

#include "lang/vela/lower/internal/flow.hpp"

namespace gyre::vela {

// The instructions of one block that may throw to one handler.
struct ThrowGroup {
    std::uint32_t block = 0;
    std::vector<std::uint32_t> places;       // ascending
    std::vector<std::uint32_t> suspensions;  // those of them that suspend
};

class BasicBlocks {
public:
    explicit BasicBlocks(const Code& code);

    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(begins_.size() - 1);
    }
    [[nodiscard]] std::uint32_t of(std::uint32_t at) const { return block_of_[at]; }
    [[nodiscard]] std::uint32_t begin_of(std::uint32_t block) const { return begins_[block]; }
    [[nodiscard]] std::uint32_t end_of(std::uint32_t block) const { return begins_[block + 1]; }
    // The blocks whose last instruction may continue with this block.
    [[nodiscard]] std::span<const std::uint32_t> before(std::uint32_t block) const {
        return before_[block];
    }
    // Not empty only for a block that begins with a handler.
    [[nodiscard]] std::span<const ThrowGroup> throws_to(std::uint32_t block) const {
        return throws_[block];
    }

private:
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint32_t> block_of_;
    std::vector<std::vector<std::uint32_t>> before_;
    std::vector<std::vector<ThrowGroup>> throws_;
};

class RegisterPlaces {
public:
    [[nodiscard]] static RegisterPlaces of_reads(const Code& code);
    [[nodiscard]] static RegisterPlaces of_writes(const Code& code);

    // Ascending.
    [[nodiscard]] std::span<const std::uint32_t> of(Register reg) const {
        return std::span(places_).subspan(begins_[reg], begins_[reg + 1] - begins_[reg]);
    }

private:
    template <class Each>
    RegisterPlaces(const Code& code, Each each);

    std::vector<std::uint32_t> begins_;
    std::vector<std::uint32_t> places_;
};

}  // namespace gyre::vela
