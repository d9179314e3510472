// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/internal/pool_size.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "gyre/base/log.hpp"

namespace gyre::pool {
namespace {

// Digits only, from 1 to `limit`.
std::optional<std::size_t> parse_count(std::string_view text, std::size_t limit) noexcept {
    std::size_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || stopped_at != end) return std::nullopt;
    if (count < 1 || count > limit) return std::nullopt;
    return count;
}

std::unexpected<std::string> not_a_count(const char* what, std::size_t limit) {
    return std::unexpected(std::string(what) + " must be a number from 1 to " +
                           std::to_string(limit));
}

}  // namespace

std::expected<PoolSize, std::string> parse_pool_size(std::string_view text, PoolSize base) {
    PoolSize size = base;
    const std::size_t comma = text.find(',');
    const auto threads = parse_count(text.substr(0, comma), thread_count_limit);
    if (!threads) return not_a_count("the number of threads", thread_count_limit);
    size.thread_count = static_cast<std::uint32_t>(*threads);
    if (comma != std::string_view::npos) {
        const auto queued = parse_count(text.substr(comma + 1), queued_count_limit);
        if (!queued) return not_a_count("the length of the queue", queued_count_limit);
        size.queued_count_max = *queued;
    }
    return size;
}

PoolSize pool_size_from_environment(const char* variable, PoolSize base) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return base;
    const auto size = parse_pool_size(text, base);
    if (size) return *size;
    log(LogLevel::warn, "%s=%s is ignored: %s; write threads or threads,queue", variable, text,
        size.error().c_str());
    return base;
}

}  // namespace gyre::pool
