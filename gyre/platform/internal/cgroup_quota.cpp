// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/cgroup_quota.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace gyre::platform {
namespace {

// Removes and returns the text before the first separator; the separator is dropped.
std::string_view take_until(std::string_view& text, char separator) noexcept {
    const std::size_t end = text.find(separator);
    const std::string_view taken = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    return taken;
}

std::string_view without_line_end(std::string_view text) noexcept {
    return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

// The number, if the whole text is a number above 0.
std::optional<std::uint64_t> to_number(std::string_view text) noexcept {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0) return {};
    return number;
}

std::optional<std::uint32_t> cores_of(std::string_view quota, std::string_view period) noexcept {
    const auto quota_us = to_number(quota);
    const auto period_us = to_number(period);
    if (!quota_us || !period_us) return {};
    const std::uint64_t cores = *quota_us / *period_us + (*quota_us % *period_us != 0 ? 1 : 0);
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(cores < most ? cores : most);
}

bool lists(std::string_view controllers, std::string_view controller) noexcept {
    while (!controllers.empty()) {
        if (take_until(controllers, ',') == controller) return true;
    }
    return false;
}

}  // namespace

std::optional<std::uint32_t> cores_of_cpu_max(std::string_view text) noexcept {
    text = without_line_end(text);
    const std::string_view quota = take_until(text, ' ');
    return cores_of(quota, text);
}

std::optional<std::uint32_t> cores_of_cfs(std::string_view quota,
                                          std::string_view period) noexcept {
    return cores_of(without_line_end(quota), without_line_end(period));
}

std::optional<std::uint64_t> bytes_of_memory_max(std::string_view text) noexcept {
    return to_number(without_line_end(text));
}

std::optional<std::string_view> cgroup_path(std::string_view text, CgroupVersion version,
                                            std::string_view controller) noexcept {
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        const std::string_view hierarchy = take_until(line, ':');
        const std::string_view controllers = take_until(line, ':');
        const bool fits = version == CgroupVersion::v2 ? hierarchy == "0" && controllers.empty()
                                                       : lists(controllers, controller);
        if (fits && line.starts_with('/')) return line;
    }
    return {};
}

std::optional<std::string_view> cgroup_parent(std::string_view path) noexcept {
    const std::size_t last = path.find_last_of('/');
    if (last == std::string_view::npos || path.size() <= 1) return {};
    return last == 0 ? path.substr(0, 1) : path.substr(0, last);
}

}  // namespace gyre::platform
