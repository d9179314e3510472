// SPDX-License-Identifier: Apache-2.0
// Reads the control files in which Linux says how much processor time a group of processes may use.
// Pure: text in, numbers out, whatever the text. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gyre::platform {

// Version 2, `cpu.max`: "150000 100000" is 2 cores (rounded up, at least 1). Nothing for "max" (no
// limit) and for text that is not understood.
[[nodiscard]] std::optional<std::uint32_t> cores_of_cpu_max(std::string_view text) noexcept;

// Version 1, `cpu.cfs_quota_us` and `cpu.cfs_period_us`. A quota of -1 is no limit.
[[nodiscard]] std::optional<std::uint32_t> cores_of_cfs(std::string_view quota,
                                                        std::string_view period) noexcept;

enum class CgroupVersion { v1, v2 };

// The path of the group that governs the processors, from `/proc/self/cgroup`; a view into the
// text. Nothing where the process is in no such group.
[[nodiscard]] std::optional<std::string_view> cgroup_path(std::string_view text,
                                                          CgroupVersion version) noexcept;

// The group above, "/" above the first; nothing above "/".
[[nodiscard]] std::optional<std::string_view> cgroup_parent(std::string_view path) noexcept;

}  // namespace gyre::platform
