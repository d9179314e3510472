// SPDX-License-Identifier: Apache-2.0
// The memory of all connections of a server together: each is charged for what it holds.
#include <cstddef>
#include <cstdint>

#include "gyre/base/assert.hpp"
#include "gyre/http/server.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

// If the platform does not tell.
constexpr std::uint64_t unknown_memory_bytes = std::uint64_t{1} << 30U;

}  // namespace

void Server::count_over_memory() noexcept {
    ++counts_.refused;
    ++counts_.over_memory;
}

void Server::learn_memory_limit(const Task& task) {
    if (options_.memory_bytes_max > 0) return;
    Environment* const environment = task.executor().loop().platform().environment();
    const std::uint64_t all =
        environment == nullptr ? unknown_memory_bytes : environment->memory_bytes();
    options_.memory_bytes_max = static_cast<std::size_t>(all / 2);
}

bool Server::charge(std::size_t& charged, std::size_t wanted) noexcept {
    GYRE_DEBUG_ASSERT(counts_.memory_bytes >= charged, "a charge is not in the sum of all charges");
    if (wanted > charged && counts_.memory_bytes - charged + wanted > options_.memory_bytes_max) {
        return false;
    }
    charge_always(charged, wanted);
    return true;
}

void Server::charge_always(std::size_t& charged, std::size_t wanted) noexcept {
    counts_.memory_bytes += wanted - charged;  // Wraps around if it is less.
    charged = wanted;
}

}  // namespace gyre::http
