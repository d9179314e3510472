// SPDX-License-Identifier: Apache-2.0
// Which op is tried when: the part of EpollPlatform that serves ops.
//
// An op that must wait stands in one of its descriptor's lists until an edge, its cancellation, the
// close of the descriptor or the end of the loop. A descriptor with more to do than one turn allows
// is `unfinished`: its edge is used up, so the next tick runs it again. One that the process lacks
// the means for is `starved`: no edge will tell, so time does, or the next close.
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "gyre/platform/datagram_calls.hpp"
#include "gyre/platform/epoll.hpp"
#include "gyre/platform/file_calls.hpp"
#include "gyre/platform/internal/holds.hpp"
#include "gyre/platform/internal/io_limits.hpp"

namespace gyre::platform {
namespace {

// The side that time will tell of, not edges.
bool is_held_up(const Descriptor& descriptor, HoldQueue& side) noexcept {
    return descriptor.is_starved() && !side.empty() && may_starve(side.front()->op().code());
}

bool is_for_levels_only(const Descriptor& descriptor) noexcept {
    bool is_so = descriptor.reads.empty() && descriptor.writes.empty();
    descriptor.watchers.for_each([&is_so](const Hold& hold) { is_so = is_so && is_level(hold); });
    return is_so;
}

}  // namespace

void EpollPlatform::tick(Instant /*now*/) {
    while (Op* op = next_submission()) serve(*op);
    while (Op* op = next_cancellation()) withdraw(*op);
    resume_unfinished();
}

void EpollPlatform::on_close() {
    descriptors_.for_each([this](Descriptor& descriptor) {
        finish_all(descriptor.reads, cancelled);
        finish_all(descriptor.writes, cancelled);
        finish_all(descriptor.watchers, cancelled);
        descriptor.leave_lists();
    });
    finish_signals();
    retry_at_ = Instant::never();
}

void EpollPlatform::serve(Op& op) noexcept {
    const bool is_from_elsewhere = op.source().thread != ref().thread;
    if (is_from_elsewhere && (op.is_standing() || is_file_op(op.code()))) {
        // What a standing op shares with its server is for one thread, and blocking work comes home
        // to the loop that started it.
        complete(op, failure(std::errc::operation_not_supported));
        return;
    }
    switch (op.code()) {
        case OpCode::accept:
        case OpCode::receive:
        case OpCode::receive_from:
        case OpCode::receive_ring:
            return serve_read(hold_of(op));
        case OpCode::connect:
        case OpCode::send:
        case OpCode::send_to:
            return serve_write(hold_of(op));
        case OpCode::poll:
            return serve_poll(static_cast<PollOp&>(op));
        case OpCode::readiness:
            return serve_readiness(static_cast<ReadinessOp&>(op));
        case OpCode::signal:
            return serve_signal(static_cast<SignalOp&>(op));
        case OpCode::close:
            return serve_close(static_cast<CloseOp&>(op));
        default:
            if (is_file_op(op.code())) return serve_file(static_cast<IoOp&>(op));
            complete(op, failure(std::errc::function_not_supported));
    }
}

void EpollPlatform::serve_read(Hold& hold) noexcept {
    Descriptor* descriptor = descriptor_for(hold);
    if (descriptor == nullptr) return;
    const bool is_first = descriptor->reads.empty();
    descriptor->reads.push_back(hold);
    if (is_first && descriptor->may_read) run_side(*descriptor, descriptor->reads);
}

void EpollPlatform::serve_write(Hold& hold) noexcept {
    Descriptor* descriptor = descriptor_for(hold);
    if (descriptor == nullptr) return;
    const bool is_first = descriptor->writes.empty();
    descriptor->writes.push_back(hold);
    if (is_first && descriptor->may_write) run_side(*descriptor, descriptor->writes);
}

// The state counts here, not its change: so the system is asked, and again at each edge.
void EpollPlatform::serve_poll(PollOp& op) noexcept {
    Descriptor* descriptor = descriptor_for(op);
    if (descriptor == nullptr) return;
    const Result<Events> ready = ready_events(op.fd, op.events);
    if (!ready) return complete(op, ready.error().as_result());
    if (any(*ready)) return complete(op, static_cast<std::int32_t>(*ready));
    if (const std::int32_t status = ensure_registered(*descriptor); status < 0) {
        return complete(op, status);
    }
    descriptor->watchers.push_back(op);
}

void EpollPlatform::serve_readiness(ReadinessOp& op) noexcept {
    Descriptor* descriptor = descriptor_for(op);
    if (descriptor == nullptr) return;
    descriptor->watchers.push_back(op);
    const bool has_own_registration = is_for_levels_only(*descriptor);
    const std::int32_t status =
        has_own_registration ? register_levels(*descriptor) : ensure_registered(*descriptor);
    // A file that epoll refuses is always ready: what is told now stays true.
    if (status < 0 && status != failure(std::errc::operation_not_permitted)) {
        return finish(op, status);
    }
    if (has_own_registration && status == 0) return;
    if (op.is_level()) return levels_.add(op);
    const Result<Events> ready = ready_events(op.fd, op.wanted);
    if (!ready) return finish(op, ready.error().as_result());
    if (!any(*ready)) return;
    op.happened = op.happened | *ready;
    notify(op);
}

// The op stands in a list although nobody waits on it here: a close must find it.
void EpollPlatform::serve_file(IoOp& op) noexcept {
    if (op.code() != OpCode::open) {
        Descriptor* descriptor = descriptor_for(op);
        if (descriptor == nullptr) return;
        descriptor->files.push_back(op);
    }
    offload(op, run_file_op);
}

void EpollPlatform::on_offload_done(Op& op, std::int32_t result) {
    Hold& hold = hold_of(op);
    if (op.code() == OpCode::open) return complete(op, result);
    finish(hold, result);
    Descriptor& descriptor = *descriptors_.find(hold.fd);
    if (!descriptor.is_closing || !descriptor.files.empty()) return;
    descriptor.is_closing = false;
    if (descriptor.close != nullptr) {
        finish_close(*std::exchange(descriptor.close, nullptr));
    } else {
        sockets().close_now(descriptor.fd);
    }
}

void EpollPlatform::serve_close(CloseOp& op) noexcept {
    const Descriptor* descriptor = descriptors_.find(op.fd);
    const bool is_closing = descriptor != nullptr && descriptor->is_closing;
    if (is_own(op.fd) || is_closing) {
        return complete(op, failure(std::errc::bad_file_descriptor));
    }
    forget(op.fd);
    if (!must_close_later(op.fd)) return finish_close(op);
    descriptors_.find(op.fd)->close = &op;
}

// True when threads of the Offload are at work on the descriptor: the last of them to return brings
// the close about.
bool EpollPlatform::must_close_later(Fd fd) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr || descriptor->files.empty()) return false;
    descriptor->is_closing = true;
    return true;
}

void EpollPlatform::finish_close(Hold& close) noexcept {
    // Even an interrupted close has freed the number: trying again could close somebody else's.
    const bool is_closed = ::close(close.fd) == 0 || errno == EINTR;
    complete(close.op(), is_closed ? 0 : -errno);
    release_starved();
}

void EpollPlatform::withdraw(Op& op) noexcept {
    Hold& hold = hold_of(op);
    if (op.code() == OpCode::close) return;  // What it waits for comes soon, and then it is done.
    if (op.code() == OpCode::signal) return finish_signal(static_cast<SignalOp&>(op), cancelled);
    Descriptor* descriptor = descriptors_.find(hold.fd);
    GYRE_ASSERT(descriptor != nullptr, "op %llu (%s) is held without a descriptor",
                static_cast<unsigned long long>(op.id()), name_of(op.code()));
    if (descriptor->is_connecting && descriptor->writes.front() == &hold) {
        descriptor->is_connecting = false;
        abandon_connect(descriptor->fd);
        descriptor->may_write = true;
    }
    finish(hold, cancelled);
    // Whoever stood behind it may never have been tried.
    if (!descriptor->reads.empty() || !descriptor->writes.empty()) resume_later(*descriptor);
}

void EpollPlatform::run_reads(Descriptor& descriptor) noexcept {
    if (!is_held_up(descriptor, descriptor.reads)) run_side(descriptor, descriptor.reads);
}

void EpollPlatform::run_writes(Descriptor& descriptor) noexcept {
    if (!is_held_up(descriptor, descriptor.writes)) run_side(descriptor, descriptor.writes);
}

void EpollPlatform::run_side(Descriptor& descriptor, HoldQueue& side) noexcept {
    for (int i = 0; i < attempts_per_run_max; ++i) {
        Hold* hold = side.front();
        if (hold == nullptr) return;
        const Attempt attempted = attempt(*hold, descriptor);
        switch (attempted.outcome) {
            case Attempt::Outcome::done:
                finish(*hold, attempted.result);
                break;
            case Attempt::Outcome::blocked: {
                const std::int32_t status = ensure_registered(descriptor);
                if (status == 0) return;
                finish(*hold, status);
                break;
            }
            case Attempt::Outcome::starved:
                return starve(descriptor, *hold);
            case Attempt::Outcome::again:
                return resume_later(descriptor);
        }
    }
    if (!side.empty()) resume_later(descriptor);
}

Attempt EpollPlatform::attempt(Hold& hold, Descriptor& descriptor) noexcept {
    Op& op = hold.op();
    switch (op.code()) {
        case OpCode::accept: {
            const Attempt accepted = try_accept(static_cast<AcceptOp&>(op), descriptor);
            if (accepted.outcome == Attempt::Outcome::done && accepted.result >= 0) {
                note_accepted(accepted.result);
            }
            return accepted;
        }
        case OpCode::connect:
            return try_connect(static_cast<ConnectOp&>(op), descriptor);
        case OpCode::receive:
            return try_receive(static_cast<ReceiveOp&>(op), descriptor);
        case OpCode::send:
            return try_send(static_cast<SendOp&>(op), descriptor);
        case OpCode::receive_from:
            return try_receive_from(static_cast<ReceiveFromOp&>(op), descriptor);
        case OpCode::send_to: {
            auto& send = static_cast<SendToOp&>(op);
            const Attempt sent = try_send_to(send, descriptor);
            const bool is_done = sent.outcome == Attempt::Outcome::done;
            if (is_done && waits_unseen(send)) note_means();
            return sent;
        }
        case OpCode::receive_ring:
            return attempt_ring(static_cast<ReceiveRingOp&>(op), descriptor);
        default:
            return Attempt::done(failure(std::errc::function_not_supported));
    }
}

Attempt EpollPlatform::attempt_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept {
    if (scratch_ == nullptr) scratch_.reset(new (std::nothrow) std::byte[scratch_size_bytes]);
    if (scratch_ == nullptr) return Attempt::done(failure(std::errc::not_enough_memory));
    const std::uint64_t before = op.stats.received_bytes;
    const Attempt attempted =
        try_receive_ring(op, descriptor, Bytes(scratch_.get(), scratch_size_bytes));
    if (op.stats.received_bytes != before) notify(op);
    return attempted;
}

void EpollPlatform::run_watchers(Descriptor& descriptor, Events events, int mask) noexcept {
    descriptor.watchers.for_each([&](Hold& hold) {
        Op& op = hold.op();
        if (op.code() == OpCode::readiness) {
            auto& readiness = static_cast<ReadinessOp&>(op);
            if (readiness.is_level()) return run_level(readiness, descriptor, mask);
            const Events happened = events & (readiness.wanted | Events::hang_up | Events::error);
            if (!any(happened)) return;
            readiness.happened = readiness.happened | happened;
            notify(readiness);
            return;
        }
        auto& poll = static_cast<PollOp&>(op);
        const Result<Events> ready = ready_events(poll.fd, poll.events);
        if (!ready) {
            finish(hold, ready.error().as_result());
        } else if (any(*ready)) {
            finish(hold, static_cast<std::int32_t>(*ready));
        }
    });
}

void EpollPlatform::run_level(ReadinessOp& op, const Descriptor& descriptor, int mask) noexcept {
    if (!descriptor.is_level) levels_.add(op);
    if (LevelWatch::note(op, mask)) notify(op);
}

void EpollPlatform::resume(WatchedDescriptor& watched) noexcept {
    auto& descriptor = static_cast<Descriptor&>(watched);
    if (descriptor.may_read) run_reads(descriptor);
    if (descriptor.may_write) run_writes(descriptor);
}

std::int32_t EpollPlatform::ensure_registered(Descriptor& descriptor) noexcept {
    if (descriptor.is_registered && !descriptor.is_level) return 0;
    epoll_event interest{};
    interest.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;
    interest.data.fd = descriptor.fd;
    // What is ready already counts as an edge, so that nothing is missed between the attempt and
    // this. A registration that is there still is renewed for the same reason.
    int status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, descriptor.fd, &interest);
    if (status < 0 && errno == EEXIST) {
        status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_MOD, descriptor.fd, &interest);
    }
    if (status < 0) {
        descriptor.may_read = true;
        descriptor.may_write = true;
        return -errno;
    }
    descriptor.is_level = false;  // Whoever watches levels sees the first edge, and is looked at.
    if (!std::exchange(descriptor.is_registered, true)) ++registered_count_;
    return 0;
}

// For what all who watch the descriptor want together. Its owner may have closed it without telling
// anybody, so what is registered under this number may be gone.
std::int32_t EpollPlatform::register_levels(Descriptor& descriptor) noexcept {
    unsigned mask = 0;
    descriptor.watchers.for_each([&mask](Hold& hold) {
        mask |= static_cast<unsigned>(LevelWatch::mask_of(static_cast<ReadinessOp&>(hold.op())));
    });
    epoll_event interest{};
    interest.events = mask;
    interest.data.fd = descriptor.fd;
    int status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, descriptor.fd, &interest);
    if (status < 0 && errno == EEXIST) {
        status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_MOD, descriptor.fd, &interest);
    }
    if (status < 0) return -errno;
    if (!std::exchange(descriptor.is_registered, true)) ++registered_count_;
    descriptor.is_level = true;
    descriptor.may_read = true;
    descriptor.may_write = true;
    return 0;
}

void EpollPlatform::end_registration(Descriptor& descriptor) noexcept {
    ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, descriptor.fd, nullptr);
    descriptor.is_registered = false;
    descriptor.is_level = false;
    descriptor.may_read = true;
    descriptor.may_write = true;
    --registered_count_;
}

// Null when the op is completed already, because its number names nothing.
Descriptor* EpollPlatform::descriptor_for(Hold& hold) noexcept {
    const Result<Descriptor*> descriptor =
        is_own(hold.fd) ? std::unexpected(Error(std::errc::bad_file_descriptor))
                        : descriptors_.get(hold.fd);
    if (!descriptor || (*descriptor)->is_closing) {
        const Error error = descriptor ? Error(std::errc::bad_file_descriptor) : descriptor.error();
        complete(hold.op(), error.as_result());
        return nullptr;
    }
    examine(**descriptor);
    return *descriptor;
}

void EpollPlatform::finish(Hold& hold, std::int32_t result) noexcept {
    Op& op = hold.op();
    links_of(hold).unlink();
    if (is_level(hold)) {
        LevelWatch::remove(static_cast<ReadinessOp&>(op));
        Descriptor& descriptor = *descriptors_.find(hold.fd);
        if (descriptor.is_level && descriptor.watchers.empty()) {
            end_registration(descriptor);
        } else if (descriptor.is_level) {
            (void)register_levels(descriptor);
        }
    }
    complete(op, result);
}

void EpollPlatform::finish_all(HoldQueue& holds, std::int32_t result) noexcept {
    while (Hold* hold = holds.front()) finish(*hold, result);
}

void EpollPlatform::forget(Fd fd) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr) return;
    finish_all(descriptor->reads, cancelled);
    finish_all(descriptor->writes, cancelled);
    finish_all(descriptor->watchers, cancelled);
    withdraw_files(*descriptor);
    if (descriptor->is_registered) --registered_count_;
    descriptor->forget();
}

void EpollPlatform::withdraw_files(Descriptor& descriptor) noexcept {
    descriptor.files.for_each([this](Hold& hold) {
        if (withdraw_offload(hold.op())) finish(hold, cancelled);
    });
}

}  // namespace gyre::platform
