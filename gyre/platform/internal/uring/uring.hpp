// SPDX-License-Identifier: Apache-2.0
// UringPlatform: serves I/O ops with Linux's io_uring. Submission queue entries are collected and
// submitted once a turn, by the same io_uring_enter that waits. Belongs to one loop's thread,
// except wake(); outlives the loop.
//
// An op is held until the result of its request has arrived, also if it is cancelled: the system
// owns its buffers until then. On each side (read or write) of a descriptor one request is in
// flight at a time, so that ops of one side are served in order; poll, readiness and file ops do
// not queue. A file is sent by a plain sendfile on the loop's thread, and the ring only polls for
// room: io_uring's own ways need a worker thread or a pipe. A large send that is the only request
// to submit is a plain call too. Accepts are not multishot: a multishot accept would take
// connections that no op has asked for, away from other loops and processes that share the
// listener.
//
// A thread without a ring cannot send a ring message (IORING_OP_MSG_RING), so a wake is a write to
// an eventfd that the ring polls.
//
// Close a descriptor through the platform of the loop that has used it (CloseOp, or
// Sockets::close_now).
//
//   real_platform.cpp   the part shared with epoll
//   uring.cpp           set-up, wait and wake; handles results and completes ops
//   uring_serve.cpp     starts, withdraws and finishes ops
//   uring_request.cpp   which request an op becomes
//   uring_datagrams.cpp the same for datagrams
//   uring_files.cpp     the same for files and names
//   uring_edges.cpp     edge-triggered readiness ops, through an epoll set that the ring polls
//   uring_follow_up.cpp results that need more than the completion of the op
//   uring_ring.cpp      the queues themselves
//   uring_renewal.cpp   a new ring in a forked child
//   uring_buffers.cpp   provided buffers for multishot receives
#pragma once

#include <cstdint>
#include <memory>

#include "gyre/base/result.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/descriptor_table.hpp"
#include "gyre/platform/internal/real_platform.hpp"
#include "gyre/platform/internal/system/message.hpp"
#include "gyre/platform/internal/system/pieces_message.hpp"

struct io_uring_sqe;

namespace gyre::platform {

class UringBuffers;
class UringEdges;
class UringRing;

struct UringOptions {
    // When the system runs the completion work of a request that had to wait: cooperative, in the
    // loop's next system call (IORING_SETUP_COOP_TASKRUN); deferred, in the next one that waits for
    // results (IORING_SETUP_DEFER_TASKRUN). With deferred running the loop must be closed on the
    // thread that turned it.
    enum class TaskRunning : std::uint8_t { cooperative, deferred };
    TaskRunning task_running = TaskRunning::cooperative;

    // Sizes of the submission and the completion queue; the system rounds up to a power of two.
    // More requests are submitted in several calls, and more results are kept by the system.
    std::uint32_t submission_count = 256;
    std::uint32_t completion_count = 4096;

    // Provided buffers, shared by all ReceiveRingOps of the loop: few enough to stay in the cache.
    // A power of two.
    std::uint32_t buffer_count = 64;
    std::uint32_t buffer_size_bytes = 8 * 1024;

    // Features that can be switched off, as if the system lacked them.
    bool has_file_requests = true;
    bool has_provided_buffers = true;  // and multishot receives
};

// The ops on one descriptor, and its state.
struct UringDescriptor : WatchedDescriptor {
    HoldQueue reads;   // accept and the receives: only the first has a request
    HoldQueue writes;  // connect and the sends: only the first has a request
    HoldQueue others;  // poll, readiness and file ops: they do not queue
    HoldQueue closes;  // wait until all other ops have completed
    std::unique_ptr<SystemAddress> accepted_from;  // these six are allocated on first use
    std::unique_ptr<SystemAddress> connect_to;
    std::unique_ptr<Message> incoming;
    std::unique_ptr<Message> outgoing;
    std::unique_ptr<PiecesMessage> pieces_in;
    std::unique_ptr<PiecesMessage> pieces_out;
    std::uint64_t served_in_wait = 0;  // the last wait with a result for this descriptor
    bool is_socket = true;             // until the system says otherwise
    bool is_local = false;             // a Unix socket, if that was queried
    bool is_closing = false;
    bool closes_itself = false;    // after the last Offload thread is done, without an op
    bool is_drained = false;       // the last receive emptied the socket
    bool has_offsets = false;      // it is a file, if that was queried
    bool is_non_blocking = false;  // if that was queried, only where it matters
};

class UringPlatform final : public RealPlatform {
public:
    // An error if the system refuses or memory runs out; all resources are released then.
    [[nodiscard]] static Result<std::unique_ptr<UringPlatform>> make(
        Clock& clock, UringOptions options = {}) noexcept;
    ~UringPlatform() override;

    [[nodiscard]] Instant wait(Instant deadline) noexcept override;
    void flush() noexcept override;
    [[nodiscard]] int backend_fd() const noexcept override;

    // For tests and reports: requests in flight, system calls, how often the submission queue was
    // full, how often results were seen waiting for room in the completion queue, and how often a
    // receive found no provided buffer.
    [[nodiscard]] std::size_t request_count() const noexcept { return request_count_; }
    [[nodiscard]] std::uint64_t system_call_count() const noexcept;
    [[nodiscard]] std::uint64_t full_count() const noexcept;
    [[nodiscard]] std::uint64_t overflow_count() const noexcept;
    [[nodiscard]] std::uint64_t out_of_buffers_count() const noexcept { return out_of_buffers_; }
    [[nodiscard]] bool has_multishot_receive() const noexcept { return has_multishot_receive_; }

protected:
    void tick(Instant now) override;
    [[gnu::cold]] void on_close() override;
    void on_offload_done(Op& op, std::int32_t result) override;

private:
    UringPlatform(Clock& clock, const UringOptions& options, std::unique_ptr<UringRing> ring,
                  std::unique_ptr<UringEdges> edges);

    // uring.cpp
    [[nodiscard]] bool is_own(Fd fd) const noexcept override;
    void on_closing_now() noexcept override;
    void listen() noexcept;
    void listen_for_wakes() noexcept;
    void take_results() noexcept;
    void on_result(Hold& hold, std::int32_t result, std::uint32_t flags) noexcept;
    void on_last_result(Hold& hold, std::int32_t result) noexcept;
    void on_ready(Hold& hold, UringDescriptor& descriptor, std::int32_t mask) noexcept;
    void on_done(Hold& hold, UringDescriptor& descriptor, std::int32_t result) noexcept;
    void finish(Hold& hold, std::int32_t result) noexcept override;
    void advance(UringDescriptor& descriptor) noexcept;
    [[nodiscard]] UringDescriptor& descriptor_of(const Hold& hold) noexcept;

    // uring_serve.cpp
    void serve(Op& op) noexcept;
    void serve_file(IoOp& op) noexcept;
    [[nodiscard]] bool is_requested(const IoOp& op) const noexcept;
    void offload_file(IoOp& op, UringDescriptor& descriptor) noexcept;
    [[nodiscard]] bool must_close_later(Fd fd) noexcept override;
    void serve_close(CloseOp& op) noexcept;
    void start(Hold& hold, UringDescriptor& descriptor) noexcept;
    void withdraw_op(Op& op) noexcept;
    void withdraw(Hold& hold, UringDescriptor& descriptor) noexcept;
    void withdraw_all(UringDescriptor& descriptor) noexcept;
    void resume(WatchedDescriptor& watched) noexcept override;
    void on_level_quiet(ReadinessOp& op) noexcept override;
    void forget(Fd fd) noexcept override;

    // uring_request.cpp
    void issue(Hold& hold, UringDescriptor& descriptor) noexcept;
    [[nodiscard]] std::int32_t provide_for(Hold& hold, UringDescriptor& descriptor) noexcept;
    [[nodiscard]] std::int32_t ensure_buffers() noexcept;
    [[nodiscard]] bool polls_first(const Hold& hold,
                                   const UringDescriptor& descriptor) const noexcept;
    [[nodiscard]] bool is_sent_alone(const Hold& hold,
                                     const UringDescriptor& descriptor) const noexcept;
    void fill(io_uring_sqe& entry, Hold& hold, UringDescriptor& descriptor) noexcept;
    [[nodiscard]] bool issue_cancel(Hold& hold) noexcept;

    // uring_files.cpp
    [[nodiscard]] static std::int32_t provide_room(PathOp& op) noexcept;
    void fill_file(io_uring_sqe& entry, Op& op) const noexcept;
    static void fill_path(io_uring_sqe& entry, PathOp& op) noexcept;
    void spare_loop(io_uring_sqe& entry, std::size_t size_bytes) const noexcept;

    // uring_renewal.cpp
    [[nodiscard, gnu::cold]] std::int32_t renew_system() noexcept override;
    void restart(UringDescriptor& descriptor) noexcept;

    // uring_edges.cpp
    void watch_edges(ReadinessOp& op, UringDescriptor& descriptor) noexcept;
    void leave_edges(const Hold& hold, UringDescriptor& descriptor) noexcept;
    void listen_for_edges() noexcept;
    void take_edges() noexcept;
    void on_edge(Fd fd, unsigned mask) noexcept;

    // uring_datagrams.cpp
    [[nodiscard]] std::int32_t provide_message(Op& op, UringDescriptor& descriptor) noexcept;
    void fill_message(io_uring_sqe& entry, Op& op, UringDescriptor& descriptor) noexcept;

    // uring.cpp and uring_follow_up.cpp: results.
    void on_failed(Hold& hold, UringDescriptor& descriptor, std::int32_t result) noexcept;
    [[nodiscard]] bool has_rivals(const UringDescriptor& descriptor) const noexcept;
    void on_level_result(ReadinessOp& op, UringDescriptor& descriptor, std::int32_t mask) noexcept;
    void on_not_pollable(ReadinessOp& op) noexcept;
    void take_received(ReceiveRingOp& op, std::int32_t result, std::uint32_t buffer_id) noexcept;
    void read_into_ring(ReceiveRingOp& op, UringDescriptor& descriptor) noexcept;
    void send_alone(SendOp& op, UringDescriptor& descriptor) noexcept;
    void send_file(SendFileOp& op, UringDescriptor& descriptor) noexcept;

    const UringOptions options_;
    std::unique_ptr<UringBuffers> buffers_;  // allocated for the first op that needs them
    std::unique_ptr<UringRing> ring_;        // destroyed before the memory that it writes to
    std::unique_ptr<UringEdges> edges_;
    DescriptorTable<UringDescriptor> descriptors_;
    UringDescriptor nameless_;  // for ops without a descriptor: open, and ops on paths
    std::size_t request_count_ = 0;
    std::uint64_t out_of_buffers_ = 0;
    Instant last_look_;
    std::uint64_t wait_count_ = 0;
    const bool has_file_requests_;
    const bool has_path_requests_;
    const bool has_resize_requests_;
    const bool can_poll_first_;
    bool has_multishot_receive_;
    bool is_listening_ = false;            // the ring polls the eventfd of the wakes
    bool has_edge_ops_ = false;            // or had some
    bool is_listening_for_edges_ = false;  // the ring polls the set of edges_
    bool has_edges_left_ = false;          // beyond those that were taken at once
    bool had_results_ = false;             // when the current wait began
};

}  // namespace gyre::platform
