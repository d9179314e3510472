// SPDX-License-Identifier: Apache-2.0
// The ops of PendingOps that wait for a descriptor to become ready.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/internal/pending_ops.hpp"

namespace gyre::sim {
namespace {

constexpr std::uint64_t sent_from_file_max = std::uint64_t{64} * 1024;

MaybeResult send_pieces(const SendPiecesOp& op, Descriptor& descriptor) {
    if (op.passed.size() > SendPiecesOp::passed_max) {
        return failure(std::errc::argument_list_too_long);
    }
    std::vector<std::byte> joined;
    const std::size_t count = std::min(op.pieces.size(), SendPiecesOp::pieces_max);
    for (const ConstBytes piece : op.pieces.first(count)) {
        joined.insert(joined.end(), piece.begin(), piece.end());
    }
    return descriptor.send_passing(joined, op.passed);
}

// Sends the file's current content, as far as the peer has room.
MaybeResult send_file(const SendFileOp& op, Descriptor& descriptor, const SimContext& context) {
    Descriptor* const file = context.descriptors.find(op.file);
    if (file == nullptr) return failure(std::errc::bad_file_descriptor);
    const std::size_t first = op.before.size();
    std::vector<std::byte> joined(op.before.begin(), op.before.end());
    joined.resize(first + std::min<std::uint64_t>(op.size_bytes, sent_from_file_max));
    const std::int32_t came = file->read(Bytes(joined).subspan(first), op.offset);
    if (came < 0 && first == 0) return came;
    joined.resize(first + static_cast<std::size_t>(std::max(came, 0)));
    return joined.empty() ? MaybeResult(0) : descriptor.send(joined);
}

MaybeResult receive_passed(ReceivePassedOp& op, Descriptor& descriptor) {
    ReceivedFds arrived{.room = op.room.first(std::min(op.room.size(), SendPiecesOp::passed_max))};
    const MaybeResult outcome = descriptor.receive_passed(op.buffer, arrived);
    op.passed_count = arrived.count;
    op.is_cut_off = arrived.is_cut_off;
    return outcome;
}

}  // namespace

void SimPlatform::PendingOps::serve(Fd fd) noexcept {
    const auto found = waiting_.find(fd);
    // The descriptor was closed meanwhile. If its number is in use again, the new descriptor has
    // its own touch.
    if (found == waiting_.end() || !found->second.is_touched) return;
    Waiting& waiting = found->second;
    waiting.is_touched = false;
    Descriptor& descriptor = *context_.descriptors.find(fd);

    serve_watchers(waiting, descriptor.events());
    while (Hold* reader = waiting.readers.front()) {
        if (!serve_reader(*reader, descriptor)) break;
    }
    while (Hold* writer = waiting.writers.front()) {
        if (!serve_writer(waiting, *writer, descriptor)) break;
    }
    if (waiting.closing != nullptr) {
        Hold& closing = *std::exchange(waiting.closing, nullptr);
        context_.descriptors.close(fd);  // Calls on_closed, which cancels the other ops.
        finish(closing, 0);
        return;
    }
    const bool is_used = !waiting.watchers.empty() || !waiting.readers.empty() ||
                         !waiting.writers.empty() || !waiting.delayed.empty();
    if (!is_used && !waiting.is_touched) waiting_.erase(found);
}

// New watchers see the current events; the others are notified of changes only.
void SimPlatform::PendingOps::serve_watchers(Waiting& waiting, Events events) noexcept {
    if (std::exchange(waiting.is_changed, false)) {
        waiting.watchers.for_each([&](Hold& watcher) { (void)show(watcher, events); });
    }
    while (Hold* watcher = waiting.new_watchers.pop_front()) {
        if (!show(*watcher, events)) waiting.watchers.push_back(*watcher);
    }
}

bool SimPlatform::PendingOps::show(Hold& watcher, Events events) noexcept {
    const Events always = Events::hang_up | Events::error;
    if (watcher.op().code() == IoCode::poll) {
        const Events seen = events & (static_cast<PollOp&>(watcher.op()).events | always);
        if (!any(seen)) return false;
        finish(watcher, static_cast<std::int32_t>(seen));
        return true;
    }
    auto& readiness = static_cast<ReadinessOp&>(watcher.op());
    if (readiness.is_level()) {
        const bool is_watched = static_cast<Link<LookLinks>&>(readiness).is_linked();
        if (show_level(readiness, events) && !is_watched) levels_.push_back(readiness);
        return false;
    }
    const Events seen = events & (readiness.wanted | always);
    if (any(seen)) {
        readiness.happened = readiness.happened | seen;
        platform_.notify(readiness);
    }
    return false;
}

bool SimPlatform::PendingOps::show_level(ReadinessOp& op, Events events) noexcept {
    Events seen = events & (op.wanted | Events::error);
    // A hang-up without anything to read: the socket was never connected. As with epoll, this is
    // always reported.
    const bool is_fresh = any(events & Events::hang_up) && !any(events & Events::readable);
    if (is_fresh) seen = seen | Events::hang_up;
    if (!any(seen)) return false;
    op.happened = seen;
    platform_.notify(op);
    return true;
}

void SimPlatform::PendingOps::notify_levels() noexcept {
    levels_.for_each([this](ReadinessOp& op) {
        const Descriptor& descriptor = *context_.descriptors.find(op.fd);
        if (!show_level(op, descriptor.events())) static_cast<Link<LookLinks>&>(op).unlink();
    });
}

bool SimPlatform::PendingOps::serve_reader(Hold& hold, Descriptor& descriptor) noexcept {
    MaybeResult outcome;
    switch (io_code(hold.op())) {
        case IoCode::accept:
            outcome = descriptor.accept(static_cast<AcceptOp&>(hold.op()).peer);
            if (!outcome && !context_.descriptors.has_room()) starved_.insert(hold.fd);
            break;
        case IoCode::receive:
            outcome = descriptor.receive(static_cast<ReceiveOp&>(hold.op()).buffer);
            break;
        case IoCode::receive_from: {
            auto& op = static_cast<ReceiveFromOp&>(hold.op());
            outcome = descriptor.receive_from(op.buffer, op.from, op.is_truncated);
            break;
        }
        case IoCode::receive_passed:
            outcome = receive_passed(static_cast<ReceivePassedOp&>(hold.op()), descriptor);
            break;
        default:
            return serve_ring(static_cast<ReceiveRingOp&>(hold.op()), descriptor);
    }
    if (outcome) finish(hold, *outcome);
    return outcome.has_value();
}

bool SimPlatform::PendingOps::serve_writer(Waiting& waiting, Hold& hold,
                                           Descriptor& descriptor) noexcept {
    MaybeResult outcome;
    if (hold.op().code() == IoCode::send) {
        outcome = descriptor.send(static_cast<SendOp&>(hold.op()).buffer);
    } else if (hold.op().code() == IoCode::send_pieces) {
        outcome = send_pieces(static_cast<SendPiecesOp&>(hold.op()), descriptor);
    } else if (hold.op().code() == IoCode::send_file) {
        outcome = send_file(static_cast<SendFileOp&>(hold.op()), descriptor, context_);
    } else if (hold.op().code() == IoCode::send_to) {
        const auto& op = static_cast<SendToOp&>(hold.op());
        outcome = descriptor.send_to(op.buffer, op.to);
    } else if (waiting.connecting == &hold) {
        outcome = descriptor.connect_outcome();
    } else {
        outcome = descriptor.connect(static_cast<ConnectOp&>(hold.op()).to);
        waiting.connecting = &hold;
    }
    if (!outcome) return false;
    waiting.connecting = nullptr;
    finish(hold, *outcome);
    return true;
}

bool SimPlatform::PendingOps::serve_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept {
    std::array<std::byte, 4096> memory;
    bool has_news = false;
    while (const MaybeResult received = descriptor.receive(memory)) {
        if (*received <= 0) {
            finish(op, *received);
            return true;
        }
        const ConstBytes data = Bytes(memory).first(static_cast<std::size_t>(*received));
        const std::size_t lost = op.ring->write(data, op.overflow);
        op.stats.received_bytes += data.size();
        op.stats.lost_bytes += lost;
        op.stats.overflows += lost > 0 ? 1 : 0;
        has_news = true;
    }
    if (has_news) platform_.notify(op);
    return false;
}

}  // namespace gyre::sim
