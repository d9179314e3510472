// SPDX-License-Identifier: Apache-2.0
// ProcessMark: whether this is still the process that made an object. A forked child has none of
// its parent's threads, and its locks are as the fork found them, so a pool must not be used there.
// Set at construction, only read afterwards: any thread may ask.
#pragma once

#include <cstdint>

namespace gyre::pool {

// A number that differs in a forked child: platform::process_generation.
using ProcessId = std::uint32_t (*)() noexcept;

class ProcessMark {
public:
    // Without a function it believes to be at home everywhere.
    explicit ProcessMark(ProcessId process_id) noexcept
        : process_id_(process_id), made_in_(process_id != nullptr ? process_id() : 0) {}

    [[nodiscard]] bool is_here() const noexcept {
        return process_id_ == nullptr || process_id_() == made_in_;
    }

private:
    const ProcessId process_id_;
    const std::uint32_t made_in_;
};

}  // namespace gyre::pool
