// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/choose.hpp"

#include <cstdlib>

#include "gyre/base/log.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/internal/system/system_file_tree.hpp"
#if GYRE_HAS_URING
#    include "gyre/platform/internal/uring/uring.hpp"
#endif

namespace gyre::platform {
namespace {

std::unexpected<PlatformError> refuse(std::errc code, std::string message) {
    return std::unexpected(PlatformError{Error(code), std::move(message)});
}

using MadePlatform = std::expected<std::unique_ptr<Platform>, PlatformError>;

MadePlatform make_epoll(Clock& clock) {
    Result<std::unique_ptr<EpollPlatform>> made = EpollPlatform::make(clock);
    if (made) return std::move(*made);
    return std::unexpected(PlatformError{
        made.error(), "the platform epoll cannot be made: " + made.error().message()});
}

MadePlatform make_uring(Clock& clock) {
#if GYRE_HAS_URING
    Result<std::unique_ptr<UringPlatform>> made = UringPlatform::make(clock);
    if (made) return std::move(*made);
    return std::unexpected(PlatformError{
        made.error(),
        "io_uring refused: " + made.error().message() + ": use epoll, or leave the choice open"});
#else
    (void)clock;
    return refuse(std::errc::not_supported,
                  "io_uring refused: built without liburing: use epoll, or leave the choice open");
#endif
}

// If io_uring is compiled in but the system refuses it, epoll is used, and the log says so once for
// all loops of the process.
MadePlatform make_best(Clock& clock) {
    MadePlatform best = make_uring(clock);
    if (best) return best;
#if GYRE_HAS_URING
    [[maybe_unused]] static const bool is_logged = [&best] {
        log(LogLevel::warn, "io_uring refused: %s: epoll serves instead",
            best.error().error.message().c_str());
        return true;
    }();
#endif
    return make_epoll(clock);
}

}  // namespace

std::expected<std::unique_ptr<Platform>, PlatformError> make_platform(Clock& clock,
                                                                      std::string_view name) {
    if (name.empty()) {
        const char* wanted = std::getenv("GYRE_PLATFORM");
        name = wanted == nullptr ? "" : wanted;
    }
    if (name.empty() || name == "best") return make_best(clock);
    if (name == "epoll") return make_epoll(clock);
    if (name == "sim") {
        return refuse(
            std::errc::not_supported,
            "the platform sim has a clock of its own: use gyre::run, or make a SimPlatform "
            "(gyre/sim)");
    }
    if (name == "uring") return make_uring(clock);
    return refuse(std::errc::invalid_argument, "there is no platform '" + std::string(name) +
                                                   "': choose uring, epoll, best or sim");
}

std::unique_ptr<FileTree> make_file_tree() {
    return std::make_unique<SystemFileTree>();
}

}  // namespace gyre::platform
