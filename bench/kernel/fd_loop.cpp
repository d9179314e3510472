// SPDX-License-Identifier: Apache-2.0
// The cases of ready descriptors: a readiness op stands for each descriptor, of levels as libuv and
// libev have them, and the app machine reads when it rings; on epoll and on io_uring. A turn may
// wait here, for what is ready already: it costs the same call.
#include <deque>

#include "bench/fd_cases.hpp"
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#if GYRE_HAS_URING
#    include "gyre/platform/internal/uring/uring.hpp"
#endif

namespace gyre::bench {
namespace {

class ReadingApp final : public Machine {
public:
    ReadingApp(std::span<const int> fds, std::uint64_t& delivered)
        : Machine("reading"), delivered_(delivered) {
        for (const int fd : fds) ops_.emplace_back(fd, Events::readable, Trigger::level);
    }

    void start() {
        for (ReadinessOp& op : ops_) submit(op);
    }

protected:
    void tick(Instant) override {
        while (StandingOp* op = next_notification()) {
            auto& readiness = static_cast<ReadinessOp&>(*op);
            if (!any(readiness.take_events() & Events::readable)) continue;
            read_byte(readiness.fd);
            ++delivered_;
        }
        while (next_completion() != nullptr) continue;
    }
    void on_close() override {
        for (ReadinessOp& op : ops_) cancel(op);
    }

private:
    std::uint64_t& delivered_;
    std::deque<ReadinessOp> ops_;
};

template <class RealPlatform>
class FdLoop {
public:
    FdLoop(std::span<const int> fds, std::uint64_t& delivered)
        : real_(LoopOptions{}, fds, delivered) {
        real_.app.start();
    }
    void turn() { real_.loop.turn(); }

private:
    RealLoop<ReadingApp, RealPlatform> real_;
};

}  // namespace

std::vector<Entry> fd_loop_entries() {
    std::vector<Entry> entries = fd_entries<FdLoop<platform::EpollPlatform>>();
#if GYRE_HAS_URING
    using UringLoop = FdLoop<platform::UringPlatform>;
    platform::SystemClock clock;
    if (!platform::UringPlatform::make(clock)) return entries;  // The system refuses it.
    entries.push_back({{"fd_event_uring"}, [](Run& run) {
                           run.report("fd_event_uring", fd_event_ns<UringLoop>(run, 1));
                       }});
    entries.push_back({{"fd_event_100_uring"}, [](Run& run) {
                           run.report("fd_event_100_uring", fd_event_ns<UringLoop>(run, 100));
                       }});
#endif
    return entries;
}

}  // namespace gyre::bench
