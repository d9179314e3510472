// SPDX-License-Identifier: Apache-2.0
// The part of UringPlatform that starts, withdraws and finishes ops.
//
// An op is in one of its descriptor's lists from the time it is served until it is finished. A
// descriptor whose requests found the submission queue full is `unfinished`, and retried in the
// next tick. A descriptor whose ops lack descriptors or memory is `starved`: they are retried after
// a delay or after the next close.
#include <unistd.h>

#include <cerrno>

#include "gyre/platform/internal/system/file_calls.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

constexpr std::int32_t bad_descriptor = failure(std::errc::bad_file_descriptor);

HoldQueue& list_for(const Op& op, UringDescriptor& descriptor) noexcept {
    switch (side_of(io_code(op))) {
        case IoSide::input:
            return descriptor.reads;
        case IoSide::output:
            return descriptor.writes;
        default:
            return op.code() == IoCode::close ? descriptor.closes : descriptor.others;
    }
}

// Whether the op is polled before the next wait, and so has no request.
bool is_looked_at(const Hold& hold) noexcept {
    return is_level(hold) && LevelWatch::has(static_cast<const ReadinessOp&>(hold.op()));
}

// io_uring ignores the offset of a stream and waits for data; a file op must not.
bool has_no_offsets(Fd fd) noexcept {
    return ::lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE;
}

}  // namespace

void UringPlatform::tick(Instant /*now*/) {
    while (Op* op = next_submission()) serve(*op);
    while (Op* op = next_cancellation()) withdraw_op(*op);
    resume_unfinished();
}

// Ops with requests complete with their results: the loop turns until then.
void UringPlatform::on_close() {
    descriptors_.for_each([this](UringDescriptor& descriptor) { withdraw_all(descriptor); });
    withdraw_all(nameless_);
    finish_signals();
}

void UringPlatform::serve(Op& op) noexcept {
    const OpCode code = op.code();
    if (op.is_standing() && op.source().thread != ref().thread) {
        // The memory that a standing op shares with its server is for one thread.
        return complete(op, failure(std::errc::operation_not_supported));
    }
    if (code == IoCode::signal) return serve_signal(static_cast<SignalOp&>(op));
    if (code == IoCode::close) return serve_close(static_cast<CloseOp&>(op));
    if (is_file_op(code)) return serve_file(static_cast<IoOp&>(op));
    if (!is_io(code)) return complete(op, failure(std::errc::function_not_supported));

    Hold& hold = hold_of(op);
    const Result<UringDescriptor*> descriptor = descriptors_.get(hold.fd);
    if (!descriptor) return complete(op, descriptor.error().as_result());
    if (is_own(hold.fd) || (*descriptor)->is_closing) return complete(op, bad_descriptor);
    start(hold, **descriptor);
}

void UringPlatform::serve_file(IoOp& op) noexcept {
    const bool is_from_elsewhere = op.source().thread != ref().thread;
    const bool is_request = is_requested(op);
    if (!is_request && is_from_elsewhere) {
        // Blocking work completes on the loop that started it.
        return complete(op, failure(std::errc::operation_not_supported));
    }
    if (const std::int32_t status = check_file_op(op); status < 0) return complete(op, status);
    if (!has_descriptor(op)) {
        return is_request ? start(op, nameless_) : offload_file(op, nameless_);
    }
    const Result<UringDescriptor*> descriptor = descriptors_.get(op.fd);
    if (!descriptor) return complete(op, descriptor.error().as_result());
    if (is_own(op.fd) || (*descriptor)->is_closing) return complete(op, bad_descriptor);
    if (!is_request) return offload_file(op, **descriptor);
    const bool has_offset = op.code() != IoCode::fsync && op.code() != IoCode::path;
    if (has_offset && !(*descriptor)->has_offsets) {
        if (has_no_offsets(op.fd)) return complete(op, failure(std::errc::invalid_seek));
        (*descriptor)->has_offsets = true;
    }
    start(op, **descriptor);
}

// Whether the ring serves the op; otherwise a thread of the Offload does.
bool UringPlatform::is_requested(const IoOp& op) const noexcept {
    if (op.code() != IoCode::path) return has_file_requests_;
    const bool is_resize = static_cast<const PathOp&>(op).verb == PathOp::Verb::resize;
    return is_resize ? has_resize_requests_ : has_path_requests_;
}

// The op is in a list although it has no request: a close must wait for it.
void UringPlatform::offload_file(IoOp& op, UringDescriptor& descriptor) noexcept {
    op.mark = is_offloaded;
    descriptor.others.push_back(op);
    offload(op, run_file_op);
}

void UringPlatform::on_offload_done(Op& op, std::int32_t result) {
    Hold& hold = hold_of(op);
    const Fd fd = hold.fd;
    UringDescriptor& descriptor = descriptor_of(hold);
    finish(hold, result);
    if (descriptor.closes_itself && descriptor.others.empty()) {
        descriptor.closes_itself = false;
        sockets().close_now(fd);
    }
}

// True if threads of the Offload use the descriptor: the last of them to finish performs the close,
// with or without a CloseOp.
bool UringPlatform::must_close_later(Fd fd) noexcept {
    UringDescriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr) return false;
    bool is_in_use = false;
    descriptor->others.for_each(
        [&is_in_use](const Hold& hold) { is_in_use = is_in_use || has(hold, is_offloaded); });
    if (!is_in_use) return false;
    descriptor->closes_itself = descriptor->closes.empty();
    descriptor->is_closing = true;
    return true;
}

void UringPlatform::serve_close(CloseOp& op) noexcept {
    const Result<UringDescriptor*> descriptor = descriptors_.get(op.fd);
    if (!descriptor) return complete(op, descriptor.error().as_result());
    if (is_own(op.fd) || (*descriptor)->is_closing) return complete(op, bad_descriptor);
    withdraw_all(**descriptor);
    (*descriptor)->is_closing = true;
    op.mark = 0;
    (*descriptor)->closes.push_back(op);
    advance(**descriptor);
}

void UringPlatform::start(Hold& hold, UringDescriptor& descriptor) noexcept {
    hold.mark = 0;
    HoldQueue& list = list_for(hold.op(), descriptor);
    list.push_back(hold);
    const bool waits_for_nobody = &list == &descriptor.others;
    if (is_level(hold)) return levels_.add(static_cast<ReadinessOp&>(hold.op()));
    if (is_edge(hold)) return watch_edges(static_cast<ReadinessOp&>(hold.op()), descriptor);
    const bool is_held_up = descriptor.is_starved() && may_starve(hold.op().code());
    const bool is_its_turn = list.front() == &hold && !is_held_up;
    if (is_its_turn && hold.op().code() == IoCode::send_file) {
        return send_file(static_cast<SendFileOp&>(hold.op()), descriptor);
    }
    if (is_its_turn && is_sent_alone(hold, descriptor)) {
        return send_alone(static_cast<SendOp&>(hold.op()), descriptor);
    }
    if (waits_for_nobody || is_its_turn) issue(hold, descriptor);
}

void UringPlatform::withdraw_op(Op& op) noexcept {
    Hold& hold = hold_of(op);
    if (op.code() == IoCode::close) return;  // Not cancelled: the ops it waits for complete soon.
    if (op.code() == IoCode::signal) return finish_signal(static_cast<SignalOp&>(op), cancelled);
    withdraw(hold, descriptor_of(hold));
}

void UringPlatform::withdraw(Hold& hold, UringDescriptor& descriptor) noexcept {
    if (has(hold, is_offloaded)) {
        if (withdraw_offload(hold.op())) finish(hold, cancelled);
        return;
    }
    if (!has(hold, is_issued)) return finish(hold, cancelled);
    if (has(hold, is_withdrawn)) return;
    set(hold, is_withdrawn);
    if (!issue_cancel(hold)) resume_later(descriptor);
}

void UringPlatform::withdraw_all(UringDescriptor& descriptor) noexcept {
    if (descriptor.is_starved()) static_cast<Link<StarvedLinks>&>(descriptor).unlink();
    for (HoldQueue* list : {&descriptor.reads, &descriptor.writes, &descriptor.others}) {
        list->for_each([&](Hold& hold) { withdraw(hold, descriptor); });
    }
}

// Retries requests and cancellations for which the submission queue may have been full.
void UringPlatform::resume(WatchedDescriptor& watched) noexcept {
    auto& descriptor = static_cast<UringDescriptor&>(watched);
    for (HoldQueue* list :
         {&descriptor.reads, &descriptor.writes, &descriptor.others, &descriptor.closes}) {
        list->for_each([&](Hold& hold) {
            const bool must_cancel = has(hold, is_withdrawn) && !has(hold, is_cancel_issued);
            if (must_cancel && !issue_cancel(hold)) resume_later(descriptor);
        });
    }
    descriptor.others.for_each([&](Hold& hold) {
        const bool needs_none = has(hold, is_always_ready) || has(hold, is_offloaded) ||
                                has(hold, is_in_edge_set) || is_looked_at(hold);
        if (has(hold, is_issued) || needs_none) return;
        if (is_edge(hold)) return watch_edges(static_cast<ReadinessOp&>(hold.op()), descriptor);
        issue(hold, descriptor);
    });
    advance(descriptor);
}

// A poll request, if the file can be polled, waits for the op to become ready; it is submitted with
// the wait that has begun.
void UringPlatform::on_level_quiet(ReadinessOp& op) noexcept {
    if (has(op, is_always_ready)) return levels_.add(op);
    note_wait(op, wait_count_);
    issue(op, descriptor_of(op));
}

void UringPlatform::forget(Fd fd) noexcept {
    UringDescriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr) return;
    withdraw_all(*descriptor);
    descriptor->is_socket = true;
    descriptor->is_closing = false;
    descriptor->is_drained = false;
    descriptor->has_offsets = false;
    descriptor->is_non_blocking = false;
}

}  // namespace gyre::platform
