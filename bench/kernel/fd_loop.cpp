// SPDX-License-Identifier: Apache-2.0
// The cases of ready descriptors: a readiness op stands for each descriptor, and the app machine
// reads when it rings. A turn may wait here, for what is ready already: it costs the same call.
#include <deque>

#include "bench/fd_cases.hpp"
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"

namespace gyre::bench {
namespace {

class ReadingApp final : public Machine {
public:
    ReadingApp(std::span<const int> fds, std::uint64_t& delivered)
        : Machine("reading"), delivered_(delivered) {
        for (const int fd : fds) ops_.emplace_back(fd, Events::readable);
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

class FdLoop {
public:
    FdLoop(std::span<const int> fds, std::uint64_t& delivered)
        : real_(LoopOptions{}, fds, delivered) {
        real_.app.start();
    }
    void turn() { real_.loop.turn(); }

private:
    RealLoop<ReadingApp> real_;
};

}  // namespace

std::vector<Entry> fd_loop_entries() {
    return fd_entries<FdLoop>();
}

}  // namespace gyre::bench
