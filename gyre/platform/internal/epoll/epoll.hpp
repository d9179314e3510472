// SPDX-License-Identifier: Apache-2.0
// EpollPlatform: serves I/O ops with Linux's epoll, edge-triggered: a descriptor is registered
// once, when an op first has to wait on it, and stays registered until it is closed. Belongs to one
// loop's thread, except wake(); outlives the loop.
//
// A descriptor that only level-triggered readiness ops watch is registered level-triggered instead,
// as long as that is so. If other ops wait on it too, it is registered edge-triggered, and the
// level ops are polled before each wait (LevelWatch). They are also polled while the loop is busy:
// poll(2) costs less than epoll_wait, which is then called rarely.
//
// An op is tried at once if no other op waits before it on its side (read or write) of the
// descriptor, and again at each edge, in FIFO order. Poll and readiness ops do not queue.
//
// A close waits for the file ops on the descriptor that a thread of the Offload has begun: the
// number must not be reused before they complete. File ops that have not begun complete as
// cancelled.
//
// Close a descriptor through the platform of the loop that has used it (CloseOp, or
// Sockets::close_now). If the number is closed without the platform's knowledge and reused by
// another thread, the platform takes the new descriptor for the old one and waits for edges of a
// registration that no longer exists.
//
//   real_platform.cpp       the part shared with io_uring
//   epoll.cpp               set-up, wait and wake; tries ops when events arrive, completes them
//   epoll_serve.cpp         starts and withdraws ops, and closes descriptors
//   epoll_registration.cpp  the interest sets
//   io_calls.cpp            one attempt; datagram_calls.cpp for datagrams
#pragma once

#include <cstdint>
#include <memory>

#include "gyre/base/result.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/descriptor_table.hpp"
#include "gyre/platform/internal/real_platform.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

struct epoll_event;

namespace gyre::platform {

class EpollPlatform final : public RealPlatform {
public:
    // An error if the system refuses or memory runs out; all resources are released then.
    [[nodiscard]] static Result<std::unique_ptr<EpollPlatform>> make(Clock& clock) noexcept;
    ~EpollPlatform() override;

    [[nodiscard]] Instant wait(Instant deadline) noexcept override;
    [[nodiscard]] int backend_fd() const noexcept override { return epoll_fd_.get(); }

    // For tests and reports: descriptors registered with epoll, and calls of epoll_wait.
    [[nodiscard]] std::size_t registered_count() const noexcept { return registered_count_; }
    [[nodiscard]] std::uint64_t system_wait_count() const noexcept { return system_wait_count_; }

protected:
    void tick(Instant now) override;
    [[gnu::cold]] void on_close() override;
    void on_offload_done(Op& op, std::int32_t result) override;

private:
    explicit EpollPlatform(Clock& clock);

    // epoll.cpp
    [[nodiscard]] bool is_own(Fd fd) const noexcept override {
        return fd == epoll_fd_.get() || fd == wake_fd_.get();
    }
    [[nodiscard]] bool should_peek(Instant now) noexcept;
    void take_events(Duration timeout) noexcept;
    [[nodiscard]] int wait_for_events(Duration timeout) noexcept;
    [[nodiscard]] int wait_for_events_or_time(Duration timeout) noexcept;
    void on_events(Fd fd, std::uint32_t events) noexcept;
    void on_edges(Descriptor& descriptor, std::uint32_t events, int mask) noexcept;
    void run_reads(Descriptor& descriptor) noexcept;
    void run_writes(Descriptor& descriptor) noexcept;
    void run_side(Descriptor& descriptor, HoldQueue& side) noexcept;
    void run_watchers(Descriptor& descriptor, Events events, int mask) noexcept;
    void run_level(ReadinessOp& op, const Descriptor& descriptor, int mask) noexcept;
    void on_level_quiet(ReadinessOp& /*op*/) noexcept override {}  // An edge reports it.
    void resume(WatchedDescriptor& watched) noexcept override;
    [[nodiscard]] Attempt attempt(Hold& hold, Descriptor& descriptor) noexcept;
    [[nodiscard]] Attempt attempt_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept;
    void finish(Hold& hold, std::int32_t result) noexcept override;

    // epoll_registration.cpp
    [[nodiscard]] std::int32_t listen_for_wakes() noexcept;
    [[nodiscard, gnu::cold]] std::int32_t renew_system() noexcept override;
    [[nodiscard]] std::int32_t ensure_registered(Descriptor& descriptor) noexcept;
    [[nodiscard]] std::int32_t register_levels(Descriptor& descriptor) noexcept;
    void end_registration(Descriptor& descriptor) noexcept;

    // epoll_serve.cpp
    void serve(Op& op) noexcept;
    void serve_read(Hold& hold) noexcept;
    void serve_write(Hold& hold) noexcept;
    void serve_poll(PollOp& op) noexcept;
    void serve_readiness(ReadinessOp& op) noexcept;
    void serve_file(IoOp& op) noexcept;
    void serve_close(CloseOp& op) noexcept;
    [[nodiscard]] bool must_close_later(Fd fd) noexcept override;
    void finish_close(Hold& close) noexcept;
    void withdraw(Op& op) noexcept;
    [[nodiscard]] Descriptor* descriptor_for(Hold& hold) noexcept;
    void withdraw_files(Descriptor& descriptor) noexcept;
    void finish_all(HoldQueue& holds, std::int32_t result) noexcept;
    void forget(Fd fd) noexcept override;

    const OwnFd epoll_fd_;
    const std::unique_ptr<epoll_event[]> events_;
    std::unique_ptr<std::byte[]> scratch_;  // allocated for the first ReceiveRingOp
    DescriptorTable<Descriptor> descriptors_;
    std::size_t registered_count_ = 0;
    std::uint64_t system_wait_count_ = 0;
    Instant last_look_;
    std::uint32_t looks_left_out_ = 0;
    bool has_precise_wait_ = true;
    bool is_busy_ = false;  // the last two waits were close together
};

}  // namespace gyre::platform
