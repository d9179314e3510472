// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/process.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "gyre/platform/internal/cgroup_quota.hpp"
#include "gyre/platform/thread.hpp"

namespace gyre::platform {
namespace {

constexpr std::size_t control_file_size_max = std::size_t{64} * 1024;

// Empty if the file cannot be read: then there is no such limit.
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

// The quotas of all ancestor groups apply: the smallest counts.
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

std::uint32_t generation = 0;

}  // namespace

std::uint32_t usable_cores() {
    const auto allowed = static_cast<std::uint32_t>(cores_of_this_thread().size());
    const std::uint32_t granted = granted_cores().value_or(allowed);
    return std::max(1u, allowed == 0 ? granted : std::min(allowed, granted));
}

int watch_forks() noexcept {
    static const int status = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });
    return status;
}

std::uint32_t process_generation() noexcept {
    return generation;
}

}  // namespace gyre::platform
