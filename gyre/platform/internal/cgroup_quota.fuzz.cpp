// SPDX-License-Identifier: Apache-2.0
// For any text, the parser returns at least one core or no limit, and paths that are views into the
// text and end at the root.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/platform/internal/cgroup_quota.hpp"

using namespace gyre::platform;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto cores = cores_of_cpu_max(text)) {
        GYRE_ASSERT(*cores >= 1, "a limit of no cores");
    }
    const std::string_view half = text.substr(0, size / 2);
    if (const auto cores = cores_of_cfs(half, text.substr(size / 2))) {
        GYRE_ASSERT(*cores >= 1, "a limit of no cores");
    }
    for (const CgroupVersion version : {CgroupVersion::v1, CgroupVersion::v2}) {
        std::size_t last_size = size + 1;
        for (auto path = cgroup_path(text, version); path; path = cgroup_parent(*path)) {
            GYRE_ASSERT(path->starts_with('/'), "a group's path does not start at the root");
            GYRE_ASSERT(path->size() < last_size, "the group above is not nearer to the root");
            last_size = path->size();
        }
    }
    return 0;
}
