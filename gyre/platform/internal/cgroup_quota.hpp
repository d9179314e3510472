// SPDX-License-Identifier: Apache-2.0
// Parses the control files in which Linux states the CPU quota and the memory limit of a control group. Pure functions:
// any text in, numbers out. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gyre::platform {

// Version 2, `cpu.max`: "150000 100000" is 2 cores (rounded up, at least 1). Empty for "max" (no
// limit) and for malformed text.
[[nodiscard]] std::optional<std::uint32_t> cores_of_cpu_max(std::string_view text) noexcept;

// Version 1, `cpu.cfs_quota_us` and `cpu.cfs_period_us`. A quota of -1 is no limit.
[[nodiscard]] std::optional<std::uint32_t> cores_of_cfs(std::string_view quota,
                                                        std::string_view period) noexcept;

// `memory.max` of version 2 and `memory.limit_in_bytes` of version 1: a number of bytes. Empty for
// "max" (no limit) and for malformed text.
[[nodiscard]] std::optional<std::uint64_t> bytes_of_memory_max(std::string_view text) noexcept;

enum class CgroupVersion { v1, v2 };

// The path of the group with the controller, from `/proc/self/cgroup`; a view into the text. Version
// 2 has one path for all controllers. Empty if the process is in no such group.
[[nodiscard]] std::optional<std::string_view> cgroup_path(
    std::string_view text, CgroupVersion version, std::string_view controller = "cpu") noexcept;

// The parent group: "/" for a top-level group, empty for "/".
[[nodiscard]] std::optional<std::string_view> cgroup_parent(std::string_view path) noexcept;

}  // namespace gyre::platform
