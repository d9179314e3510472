// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/pending_ops.hpp"

#include <utility>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::sim {
namespace {

constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

Hold& hold_of(Op& op) noexcept {
    if (op.is_standing()) return static_cast<StandingIoOp&>(op);
    return static_cast<IoOp&>(op);
}

bool can_be_caught(int signal_number) noexcept {
    constexpr int kill = 9;
    constexpr int stop = 19;
    constexpr int last = 64;
    return signal_number > 0 && signal_number <= last && signal_number != kill &&
           signal_number != stop;
}

}  // namespace

SimPlatform::PendingOps::PendingOps(SimPlatform& platform, SimHost& host)
    : platform_(platform), host_(host), context_(host.context()) {
    context_.descriptors.add_observer(*this);
}

SimPlatform::PendingOps::~PendingOps() {
    context_.descriptors.remove_observer(*this);
}

// ---- Starting ----

void SimPlatform::PendingOps::start(Op& op) noexcept {
    // As on a real platform: the memory that a standing op shares with its server is for one
    // thread, and blocking work completes on the loop that started it.
    const bool is_foreign = op.source().thread != platform_.ref().thread;
    if (is_foreign && (op.is_standing() || is_file_op(op.code()))) {
        platform_.complete(op, failure(std::errc::operation_not_supported));
        return;
    }
    switch (io_code(op)) {
        case IoCode::signal: {
            auto& signal = static_cast<SignalOp&>(op);
            if (can_be_caught(signal.signal_number)) {
                signals_.push_back(signal);
            } else {
                platform_.complete(op, failure(std::errc::invalid_argument));
            }
            return;
        }
        case IoCode::path:
            if (hold_of(op).fd >= 0) return start_io(op, hold_of(op));
            [[fallthrough]];
        case IoCode::open:
            opening_.push_back(hold_of(op));
            delay(hold_of(op), nullptr);
            return;
        default:
            if (is_io(op.code())) return start_io(op, hold_of(op));
            platform_.complete(op, failure(std::errc::function_not_supported));
    }
}

void SimPlatform::PendingOps::start_io(Op& op, Hold& hold) noexcept {
    const auto known = waiting_.find(hold.fd);
    const bool is_closing = known != waiting_.end() && known->second.closing != nullptr;
    if (context_.descriptors.find(hold.fd) == nullptr || is_closing) {
        platform_.complete(op, failure(std::errc::bad_file_descriptor));
        return;
    }
    Waiting& waiting = waiting_[hold.fd];
    touch(hold.fd);
    switch (io_code(op)) {
        case IoCode::poll:
        case IoCode::readiness:
            waiting.new_watchers.push_back(hold);
            break;
        case IoCode::send:
        case IoCode::send_to:
        case IoCode::send_pieces:
        case IoCode::send_file:
        case IoCode::connect:
            waiting.writers.push_back(hold);
            break;
        case IoCode::read:
        case IoCode::read_parts:
            waiting.delayed.push_back(hold);
            delay(hold, &waiting.last_read_at);
            break;
        case IoCode::write:
        case IoCode::write_parts:
        case IoCode::fsync:
        case IoCode::path:
            waiting.delayed.push_back(hold);
            delay(hold, &waiting.last_write_at);
            break;
        case IoCode::close:
            waiting.closing = &hold;
            break;
        default:
            waiting.readers.push_back(hold);
            break;
    }
}

void SimPlatform::PendingOps::touch(Fd fd) noexcept {
    const auto found = waiting_.find(fd);
    if (found == waiting_.end() || found->second.is_touched) return;
    found->second.is_touched = true;
    touched_.push_back(fd);
}

// The events of a world with threads are for its own thread: it runs those that are due before each turn.
void SimPlatform::PendingOps::deliver() noexcept {
    const bool runs_events = platform_.thread_ == nullptr;
    if (runs_events) context_.timeline.run_due(context_.now());
    while (!touched_.empty()) {
        std::vector<Fd> batch;
        batch.swap(touched_);
        while (!batch.empty()) {
            std::swap(batch[context_.random.below(batch.size())], batch.back());
            const Fd fd = batch.back();
            batch.pop_back();
            serve(fd);
        }
        if (runs_events) context_.timeline.run_due(context_.now());
    }
}

// ---- Completing and cancelling ----

void SimPlatform::PendingOps::finish(Hold& hold, std::int32_t result) noexcept {
    delays_.erase(&hold);
    if (hold.is_linked()) hold.unlink();
    if (hold.op().code() == IoCode::readiness) {
        Link<LookLinks>& look = static_cast<ReadinessOp&>(hold.op());
        if (look.is_linked()) look.unlink();
    }
    platform_.complete(hold.op(), result);
}

void SimPlatform::PendingOps::cancel(Op& op) noexcept {
    Hold& hold = hold_of(op);
    std::int32_t result = cancelled;
    const auto found = waiting_.find(hold.fd);
    if (found != waiting_.end()) {
        Waiting& waiting = found->second;
        if (waiting.closing == &hold) return;  // The next wait closes and completes it.
        if (waiting.connecting == &hold) {
            waiting.connecting = nullptr;
            Descriptor& socket = *context_.descriptors.find(hold.fd);
            const MaybeResult outcome = socket.connect_outcome();
            if (!outcome) socket.cancel_connect();
            result = outcome.value_or(cancelled);
        }
        touch(hold.fd);  // The op behind it in the queue may go on.
    }
    finish(hold, result);
}

void SimPlatform::PendingOps::cancel_all(HoldQueue& queue) noexcept {
    while (Hold* hold = queue.front()) finish(*hold, cancelled);
}

void SimPlatform::PendingOps::cancel_all(Waiting& waiting) noexcept {
    waiting.connecting = nullptr;
    for (HoldQueue* queue : {&waiting.new_watchers, &waiting.watchers, &waiting.readers,
                             &waiting.writers, &waiting.delayed}) {
        cancel_all(*queue);
    }
    // The descriptor is closed, as this op asked for.
    if (waiting.closing != nullptr) finish(*std::exchange(waiting.closing, nullptr), 0);
}

void SimPlatform::PendingOps::close() noexcept {
    cancel_all(opening_);
    cancel_all(signals_);
    deliver();
    for (auto& [fd, waiting] : waiting_) cancel_all(waiting);
    waiting_.clear();
    touched_.clear();
}

void SimPlatform::PendingOps::abandon() noexcept {
    context_.descriptors.remove_observer(*this);
    delays_.clear();
    const auto forget = [](HoldQueue& queue) {
        while (queue.pop_front() != nullptr) {
        }
    };
    forget(opening_);
    forget(signals_);
    while (levels_.pop_front() != nullptr) {
    }
    for (auto& [fd, waiting] : waiting_) {
        for (HoldQueue* queue : {&waiting.new_watchers, &waiting.watchers, &waiting.readers,
                                 &waiting.writers, &waiting.delayed}) {
            forget(*queue);
        }
    }
    waiting_.clear();
    touched_.clear();
    starved_.clear();
}

// ---- As the observer of the descriptors ----

void SimPlatform::PendingOps::on_changed(Fd fd) {
    const auto found = waiting_.find(fd);
    if (found == waiting_.end()) return;
    found->second.is_changed = true;
    touch(fd);
}

void SimPlatform::PendingOps::on_closed(Fd fd) {
    starved_.erase(fd);
    const auto found = waiting_.find(fd);
    if (found == waiting_.end()) return;
    cancel_all(found->second);
    waiting_.erase(found);
}

void SimPlatform::PendingOps::on_room() {
    for (const Fd fd : starved_) touch(fd);
    starved_.clear();
}

void SimPlatform::PendingOps::on_signal(int number) {
    signals_.for_each([&](Hold& hold) {
        auto& signal = static_cast<SignalOp&>(hold.op());
        if (signal.signal_number != number) return;
        ++signal.count;
        platform_.notify(signal);
    });
}

}  // namespace gyre::sim
