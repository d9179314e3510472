// SPDX-License-Identifier: Apache-2.0
// Sleepers: which workers sleep, or are about to. Any thread may pick one to wake; each worker adds
// and removes itself alone.
//
// Protocol. A worker adds itself, looks for work once more, and only then parks; whoever makes work
// makes it seen first, and picks a sleeper then. All of it is sequentially consistent, so that one
// of the two sees the other and no wake is lost. Being picked takes a worker off the set, so that
// one piece of work wakes one worker; the picker must unpark it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gyre/base/atomic.hpp"

namespace gyre::pool {

class Sleepers {
public:
    static constexpr std::size_t count_max = 64;

    [[nodiscard]] bool empty() const noexcept { return set_.load() == 0; }
    [[nodiscard]] std::size_t count() const noexcept {
        return static_cast<std::size_t>(std::popcount(set_.load()));
    }

    void add(std::size_t worker) noexcept { set_.fetch_or(bit(worker)); }

    // A picker may have been faster: then the worker finds itself unparked the next time it parks.
    void remove(std::size_t worker) noexcept { set_.fetch_and(~bit(worker)); }

    [[nodiscard]] std::optional<std::size_t> pick() noexcept {
        for (std::uint64_t seen = set_.load(); seen != 0; seen = set_.load()) {
            const auto worker = static_cast<std::size_t>(std::countr_zero(seen));
            if ((set_.fetch_and(~bit(worker)) & bit(worker)) != 0) return worker;
        }
        return std::nullopt;
    }

private:
    static std::uint64_t bit(std::size_t worker) noexcept { return std::uint64_t{1} << worker; }

    Atomic<std::uint64_t> set_{0};
};

}  // namespace gyre::pool
