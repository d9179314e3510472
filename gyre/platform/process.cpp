// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/process.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

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

template <class T>
void lower(std::optional<T>& limit, std::optional<T> other) {
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

// The limits of all ancestor groups apply.
std::optional<std::uint64_t> granted_memory_bytes() {
    const std::string groups = read_control_file("/proc/self/cgroup");
    std::optional<std::uint64_t> limit;
    for (auto path = cgroup_path(groups, CgroupVersion::v2); path; path = cgroup_parent(*path)) {
        lower(limit,
              bytes_of_memory_max(read_control_file(join("/sys/fs/cgroup", *path, "memory.max"))));
    }
    for (auto path = cgroup_path(groups, CgroupVersion::v1, "memory"); path;
         path = cgroup_parent(*path)) {
        const std::string file = join("/sys/fs/cgroup/memory", *path, "memory.limit_in_bytes");
        lower(limit, bytes_of_memory_max(read_control_file(file)));
    }
    return limit;
}

std::optional<std::uint64_t> memory_limit_of_process(int resource) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return {};
    if (limit.rlim_cur == RLIM_INFINITY) return {};
    return limit.rlim_cur;
}

std::uint32_t generation = 0;

}  // namespace

std::uint32_t usable_cores() {
    const auto allowed = static_cast<std::uint32_t>(cores_of_this_thread().size());
    const std::uint32_t granted = granted_cores().value_or(allowed);
    return std::max(1u, allowed == 0 ? granted : std::min(allowed, granted));
}

std::uint64_t usable_memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    std::optional<std::uint64_t> limit;
    if (pages > 0 && page_bytes > 0) {
        limit = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    }
    lower(limit, granted_memory_bytes());
    lower(limit, memory_limit_of_process(RLIMIT_AS));
    lower(limit, memory_limit_of_process(RLIMIT_DATA));
    constexpr std::uint64_t unknown_bytes = std::uint64_t{1} << 30U;
    return limit.value_or(unknown_bytes);
}

int watch_forks() noexcept {
    static const int status = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });
    return status;
}

std::uint32_t process_generation() noexcept {
    return generation;
}

}  // namespace gyre::platform
