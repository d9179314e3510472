// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "gyre/platform/internal/cgroup_quota.hpp"

namespace gyre::platform {
namespace {

constexpr std::size_t control_file_size_max = std::size_t{64} * 1024;
constexpr int core_count_max = 8192;

// Empty where there is no such file: limits that cannot be read do not bind.
std::string read_control_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                               std::fclose);
    if (file == nullptr) return {};
    std::string text(control_file_size_max, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    return text;
}

std::string join(std::string_view mount, std::string_view group, std::string_view file) {
    std::string path(mount);
    path += group;
    if (!path.ends_with('/')) path += '/';
    return path += file;
}

void lower(std::optional<std::uint32_t>& limit, std::optional<std::uint32_t> other) {
    if (other) limit = limit ? std::min(*limit, *other) : *other;
}

// Every group above has its say: the smallest grant counts.
std::optional<std::uint32_t> granted_cores() {
    const std::string groups = read_control_file("/proc/self/cgroup");
    std::optional<std::uint32_t> limit;
    for (auto path = cgroup_path(groups, CgroupVersion::v2); path; path = cgroup_parent(*path)) {
        lower(limit, cores_of_cpu_max(read_control_file(join("/sys/fs/cgroup", *path, "cpu.max"))));
    }
    for (auto path = cgroup_path(groups, CgroupVersion::v1); path; path = cgroup_parent(*path)) {
        const auto read = [&path](std::string_view file) {
            return read_control_file(join("/sys/fs/cgroup/cpu", *path, file));
        };
        lower(limit, cores_of_cfs(read("cpu.cfs_quota_us"), read("cpu.cfs_period_us")));
    }
    return limit;
}

}  // namespace

std::vector<int> cores_of_this_thread() {
    // Larger than cpu_set_t, which ends at 1024 cores.
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(core_count_max), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    std::vector<int> cores;
    if (set == nullptr) return cores;
    const std::size_t size = CPU_ALLOC_SIZE(core_count_max);
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) < 0) return cores;
    for (int core = 0; core < core_count_max; ++core) {
        if (CPU_ISSET_S(static_cast<std::size_t>(core), size, set.get())) cores.push_back(core);
    }
    return cores;
}

std::uint32_t usable_cores() {
    const auto allowed = static_cast<std::uint32_t>(cores_of_this_thread().size());
    const std::uint32_t granted = granted_cores().value_or(allowed);
    return std::max(1u, allowed == 0 ? granted : std::min(allowed, granted));
}

}  // namespace gyre::platform
