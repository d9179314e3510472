// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/platform.hpp"

#include <algorithm>
#include <utility>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/internal/delayed.hpp"

namespace gyre::sim {
namespace {

constexpr Duration level_look_time = std::chrono::microseconds(1);

constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

Hold& hold_of(Op& op) noexcept {
    if (op.is_standing()) return static_cast<StandingIoOp&>(op);
    return static_cast<IoOp&>(op);
}

bool is_file_op(OpCode code) noexcept {
    return code == OpCode::path || code == OpCode::open || code == OpCode::read ||
           code == OpCode::write || code == OpCode::read_parts || code == OpCode::write_parts ||
           code == OpCode::fsync;
}

bool can_be_caught(int signal_number) noexcept {
    constexpr int kill = 9;
    constexpr int stop = 19;
    constexpr int last = 64;
    return signal_number > 0 && signal_number <= last && signal_number != kill &&
           signal_number != stop;
}

}  // namespace

SimPlatform::SimPlatform(VirtualClock& clock, const SimOptions& options)
    : Platform("sim"),
      own_host_(std::make_unique<Host>(clock, options)),
      host_(*own_host_),
      medium_(host_.medium()),
      offload_(medium_) {
    medium_.descriptors.add_watcher(*this);
}

SimPlatform::SimPlatform(Host& host)
    : Platform("sim"), host_(host), medium_(host.medium()), offload_(medium_) {
    medium_.descriptors.add_watcher(*this);
}

SimPlatform::~SimPlatform() {
    medium_.descriptors.remove_watcher(*this);
}

// ---- Time ----

Instant SimPlatform::wait(Instant deadline) noexcept {
    look_at_levels();
    // A level that stays ready keeps a loop busy, which takes time for real too: else nothing else
    // could ever get due.
    if (!levels_.empty() && own_host_ != nullptr && deadline > medium_.now()) {
        const Instant soon = medium_.now() + level_look_time;
        medium_.clock.advance_to(std::min({deadline, medium_.timeline.next(), soon}));
    }
    for (;;) {
        deliver();
        const bool is_woken = take_wake();
        if (is_woken || loop().has_ready_work() || loop().has_posts()) return medium_.now();
        if (deadline <= medium_.now()) return medium_.now();
        if (own_host_ == nullptr) {
            if (mover_ == nullptr || !mover_->move_on()) return medium_.now();
            continue;
        }
        const Instant next = std::min(deadline, medium_.timeline.next());
        if (next == Instant::never()) return next;
        medium_.clock.advance_to(next);
    }
}

void SimPlatform::wake() noexcept {
    const std::lock_guard lock(wake_mutex_);
    is_woken_ = true;
}

bool SimPlatform::take_wake() noexcept {
    const std::lock_guard lock(wake_mutex_);
    return std::exchange(is_woken_, false);
}

// Everything that can be done now. No op is added meanwhile, so it ends.
void SimPlatform::deliver() noexcept {
    medium_.timeline.run_due(medium_.now());
    while (!touched_.empty()) {
        std::vector<Fd> batch;
        batch.swap(touched_);
        while (!batch.empty()) {
            std::swap(batch[medium_.random.below(batch.size())], batch.back());
            const Fd fd = batch.back();
            batch.pop_back();
            serve(fd);
        }
        medium_.timeline.run_due(medium_.now());
    }
}

// ---- Ops ----

void SimPlatform::tick(Instant /*now*/) {
    while (Op* op = next_submission()) take(*op);
    while (Op* op = next_cancellation()) cancel_held(*op);
}

void SimPlatform::take(Op& op) noexcept {
    // As on a real platform: what a standing op shares with its server is for one thread, and
    // blocking work comes home to the loop that started it.
    if (op.source().thread != ref().thread && (op.is_standing() || is_file_op(op.code()))) {
        complete(op, failure(std::errc::operation_not_supported));
        return;
    }
    switch (op.code()) {
        case OpCode::signal: {
            auto& signal = static_cast<SignalOp&>(op);
            if (can_be_caught(signal.signal_number)) {
                signals_.push_back(signal);
            } else {
                complete(op, failure(std::errc::invalid_argument));
            }
            return;
        }
        case OpCode::path:
            if (hold_of(op).fd >= 0) return take_io(op, hold_of(op));
            [[fallthrough]];
        case OpCode::open:
            opening_.push_back(hold_of(op));
            delay(hold_of(op), nullptr);
            return;
        case OpCode::poll:
        case OpCode::accept:
        case OpCode::connect:
        case OpCode::receive:
        case OpCode::send:
        case OpCode::receive_from:
        case OpCode::send_to:
        case OpCode::send_pieces:
        case OpCode::send_file:
        case OpCode::receive_passed:
        case OpCode::read:
        case OpCode::write:
        case OpCode::read_parts:
        case OpCode::write_parts:
        case OpCode::fsync:
        case OpCode::close:
        case OpCode::readiness:
        case OpCode::receive_ring:
            take_io(op, hold_of(op));
            return;
        default:
            complete(op, failure(std::errc::function_not_supported));
    }
}

void SimPlatform::take_io(Op& op, Hold& hold) noexcept {
    const auto known = waiting_.find(hold.fd);
    const bool is_closing = known != waiting_.end() && known->second.closing != nullptr;
    if (medium_.descriptors.find(hold.fd) == nullptr || is_closing) {
        complete(op, failure(std::errc::bad_file_descriptor));
        return;
    }
    Waiting& waiting = waiting_[hold.fd];
    touch(hold.fd);
    switch (op.code()) {
        case OpCode::poll:
        case OpCode::readiness:
            waiting.new_watchers.push_back(hold);
            break;
        case OpCode::send:
        case OpCode::send_to:
        case OpCode::send_pieces:
        case OpCode::send_file:
        case OpCode::connect:
            waiting.writers.push_back(hold);
            break;
        case OpCode::read:
        case OpCode::read_parts:
            waiting.delayed.push_back(hold);
            delay(hold, &waiting.last_read_at);
            break;
        case OpCode::write:
        case OpCode::write_parts:
        case OpCode::fsync:
        case OpCode::path:
            waiting.delayed.push_back(hold);
            delay(hold, &waiting.last_write_at);
            break;
        case OpCode::close:
            waiting.closing = &hold;
            break;
        default:
            waiting.readers.push_back(hold);
            break;
    }
}

void SimPlatform::cancel_held(Op& op) noexcept {
    Hold& hold = hold_of(op);
    std::int32_t result = cancelled;
    const auto found = waiting_.find(hold.fd);
    if (found != waiting_.end()) {
        Waiting& waiting = found->second;
        if (waiting.closing == &hold) return;  // It is done in the next wait, and says so.
        if (waiting.connecting == &hold) {
            waiting.connecting = nullptr;
            Descriptor& socket = *medium_.descriptors.find(hold.fd);
            const Attempt outcome = socket.connect_outcome();
            if (!outcome) socket.cancel_connect();
            result = outcome.value_or(cancelled);
        }
        touch(hold.fd);  // So that the next in line gets its turn.
    }
    finish(hold, result);
}

void SimPlatform::finish(Hold& hold, std::int32_t result) noexcept {
    delayed_.erase(&hold);
    if (hold.is_linked()) hold.unlink();
    if (hold.op().code() == OpCode::readiness) {
        Link<LookLinks>& look = static_cast<ReadinessOp&>(hold.op());
        if (look.is_linked()) look.unlink();
    }
    complete(hold.op(), result);
}

// The app has taken back what it had; what is left belongs to others.
void SimPlatform::on_close() {
    cancel_all(opening_);
    cancel_all(signals_);
    deliver();
    for (auto& [fd, waiting] : waiting_) cancel_all(waiting);
    waiting_.clear();
    touched_.clear();
}

}  // namespace gyre::sim
