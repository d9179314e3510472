// SPDX-License-Identifier: Apache-2.0
#include "tests/property/random_machine.hpp"

#include <algorithm>

#include "gyre/io/io_ops.hpp"

namespace gyre::property {
namespace {

constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

bool is_elsewhere(const Op& op, const Machine& seen_from) noexcept {
    return op.destination() && op.destination().thread != seen_from.ref().thread;
}

}  // namespace

RandomMachine::RandomMachine(Program& program, Role role, std::size_t depth, unsigned step_count)
    : Machine("random"), program_(program), role_(role), depth_(depth), steps_left_(step_count) {}

RandomMachine::~RandomMachine() = default;

// Every few microseconds it does something, until its steps are used up.
void RandomMachine::begin() {
    beat_ = &make<OwnedTimer>();
    beat_->kind.deadline = loop().now() + Duration(static_cast<Duration::rep>(below(5'000)));
    start(*beat_, {}, {});
}

void RandomMachine::tick(Instant /*now*/) {
    for (Tracked* tracked : std::exchange(confirmed_next_tick_, {})) finish(*tracked, cancelled);
    const auto leaves_rest = [this] {
        if (is_closing_ || !one_in(16)) return false;
        note(Feature::left_for_later);
        tick_again();
        return true;
    };
    while (Op* op = next_submission()) {
        serve(tracked_of(*op));
        if (leaves_rest()) break;
    }
    while (Op* op = next_cancellation()) {
        take_cancellation(tracked_of(*op));
        if (leaves_rest()) break;
    }
    while (StandingOp* op = next_notification()) {
        program_.ledger_.on_read(tracked_of(*op));
        if (!is_closing_ && one_in(8)) cancel_tracked(tracked_of(*op));
        if (leaves_rest()) break;
    }
    while (Op* op = next_completion()) {
        take_back(tracked_of(*op));
        if (leaves_rest()) break;
    }
}

// Everything it has in flight comes back, and everything it serves goes back.
void RandomMachine::on_close() {
    is_closing_ = true;
    for (const auto& tracked : ops_) cancel_tracked(*tracked);
    while (!held_.empty()) finish(*held_.back(), cancelled);
    while (!intercepted_.empty()) finish(*intercepted_.back().tracked, cancelled);
    // A last op, to a loop that has closed before: it must come back all the same.
    RandomMachine& whom = program_.any_machine();
    if (whom.ref().thread < ref().thread) start(make<AskOp>(), whom.ref(), {});
}

// ---- As an initiator ----

template <class Kind, class... Args>
TrackedOp<Kind>& RandomMachine::make(Args&&... args) {
    auto made = std::make_unique<TrackedOp<Kind>>(static_cast<Args&&>(args)...);
    auto& tracked = *made;
    ops_.push_back(std::move(made));
    return tracked;
}

void RandomMachine::start(Tracked& tracked, MachineRef to, Cause cause) {
    if (tracked.op().code() != OpCode::timer) tracked.op().set_destination(to);
    submit(tracked.op(), cause);
    program_.ledger_.on_submitted(tracked, cause, to);
    if (!is_closing_ && one_in(20)) {
        note(Feature::cancel_at_once);
        cancel_tracked(tracked);
    }
}

void RandomMachine::act(Cause cause) {
    if (is_closing_ || steps_left_ == 0) return;
    --steps_left_;
    program_.count_step();
    // Half of what it does is on its own account.
    if (one_in(2)) cause = {};
    switch (below(16)) {
        case 0:
            return start_timer(cause);
        case 1:
            return ask_platform(cause);
        case 2:
        case 3:
        case 4:
            return ask(cause);
        case 5:
            return ask_again(cause);
        case 6:
        case 7:
            return stand(cause);
        case 8:
            return start_wake(cause);
        case 9:
            return ring_a_wake();
        case 10:
        case 11:
            return cancel_something();
        case 12:
            return program_.post_something();
        default:
            return serve_something();
    }
}

void RandomMachine::start_timer(Cause cause) {
    if (one_in(3)) {
        note(Feature::work);
        auto& work = make<WorkOp>([](WorkOp&) noexcept -> std::int32_t { return 3; });
        return start(work, {}, cause);
    }
    note(Feature::timer);
    auto& timer = make<OwnedTimer>();
    timer.kind.deadline = loop().now() + Duration(static_cast<Duration::rep>(below(50'000)));
    timer.kind.set_background(one_in(8));
    if (timer.kind.is_background()) note(Feature::in_background);
    start(timer, {}, cause);
}

// The platform knows no such descriptor and no such kind; it must say so and not forget the op.
void RandomMachine::ask_platform(Cause cause) {
    note(Feature::ask_platform);
    Tracked* tracked = nullptr;
    if (one_in(2)) {
        tracked = &make<AskOp>();
    } else {
        tracked = &make<PollOp>(-1, Events::readable);
    }
    start(*tracked, parent() == nullptr && one_in(2) ? MachineRef{} : platform_ref(), cause);
}

void RandomMachine::ask(Cause cause) {
    const bool goes_elsewhere = one_in(2);
    RandomMachine* whom = program_.any_machine_of(ref().thread, !goes_elsewhere);
    if (whom == nullptr) return;
    note(goes_elsewhere ? Feature::ask_elsewhere : Feature::ask_here);
    const std::uint64_t count = one_in(3) ? 2 + below(3) : 1;
    if (count > 1) note(Feature::ask_burst);
    for (std::uint64_t i = 0; i < count; ++i) start(make<AskOp>(), whom->ref(), cause);
}

// With an op that came back before.
void RandomMachine::ask_again(Cause cause) {
    if (ops_.empty()) return;
    Tracked& tracked = *ops_[below(ops_.size())];
    const bool can_go = tracked.op().code() == OpCode::first_custom ||
                        tracked.op().code() == OpCode::first_custom_standing;
    if (!can_go || tracked.op().is_in_flight()) return;
    note(Feature::ask_again);
    start(tracked, program_.any_machine().ref(), cause);
}

void RandomMachine::stand(Cause cause) {
    const bool goes_elsewhere = one_in(2);
    RandomMachine* whom = program_.any_machine_of(ref().thread, !goes_elsewhere);
    if (whom == nullptr) return;
    Tracked* tracked = nullptr;
    if (one_in(2)) {
        note(goes_elsewhere ? Feature::watch_elsewhere : Feature::watch_here);
        tracked = &make<WatchOp>();
    } else {
        note(goes_elsewhere ? Feature::feed_elsewhere : Feature::feed_here);
        ops_.push_back(std::make_unique<Feed>());
        tracked = ops_.back().get();
    }
    tracked->op().set_background(one_in(8));
    start(*tracked, whom->ref(), cause);
}

void RandomMachine::start_wake(Cause cause) {
    note(Feature::wake);
    auto& wake = make<WakeOp>();
    program_.wakes_.push_back(&wake);
    start(wake, {}, cause);
}

// Anybody may, also when it is not in flight.
void RandomMachine::ring_a_wake() {
    if (program_.wakes_.empty()) return;
    auto& wake = *program_.wakes_[below(program_.wakes_.size())];
    wake.write();
    if (wake.kind.is_in_flight()) {
        note(Feature::wake_rung);
        wake.rung = wake.written;
    }
    wake.kind.ring();
}

void RandomMachine::cancel_something() {
    if (!ops_.empty()) cancel_tracked(*ops_[below(ops_.size())]);
}

void RandomMachine::cancel_tracked(Tracked& tracked) {
    Op& op = tracked.op();
    if (op.is_in_flight() && !tracked.is_cancel_asked) {
        tracked.is_cancel_asked = true;
        note(is_elsewhere(op, *this) ? Feature::cancel_elsewhere : Feature::cancel_here);
        if (op.code() == OpCode::timer) note(Feature::cancel_of_timer);
        if (op.is_standing()) note(Feature::cancel_of_standing);
    }
    cancel(op, &tracked.message);
}

void RandomMachine::take_back(Tracked& tracked) {
    program_.ledger_.on_returned(tracked);
    const Cause cause = tracked.op().as_cause();
    if (Tracked* client = std::exchange(tracked.on_behalf_of, nullptr)) {
        client->delegate = nullptr;
        finish(*client, tracked.op().result());
    }
    if (&tracked == beat_ && !is_closing_ && steps_left_ > 0) {
        act({});
        beat_->kind.deadline = loop().now() + Duration(static_cast<Duration::rep>(below(5'000)));
        start(*beat_, {}, {});
    } else if (one_in(4)) {
        act(cause);
    }
}

// ---- As a server ----

void RandomMachine::serve(Tracked& tracked) {
    program_.ledger_.on_taken(tracked, ref());
    held_.push_back(&tracked);
    Op& op = tracked.op();
    if (is_closing_) return finish(tracked, cancelled);
    if (op.is_standing()) {
        if (one_in(2)) write_and_ring(tracked);
        return;
    }
    switch (below(6)) {
        case 0:
        case 1:
            return finish(tracked, 1);
        case 2:
            return delegate(tracked, program_.any_machine().ref());
        case 3:
            if (op.source().thread != ref().thread) return;
            note(Feature::work_of_held_op);
            std::erase(held_, &tracked);
            return offload(op, [](Op&) noexcept -> std::int32_t { return 4; });
        default:
            return;
    }
}

// Asks somebody else, and answers when that one has.
void RandomMachine::delegate(Tracked& tracked, MachineRef to) {
    if (steps_left_ == 0) return;
    --steps_left_;
    note(Feature::delegated);
    auto& asked = make<AskOp>();
    asked.on_behalf_of = &tracked;
    tracked.delegate = &asked;
    start(asked, to, tracked.op().as_cause());
}

void RandomMachine::take_cancellation(Tracked& tracked) {
    if (tracked.delegate != nullptr && one_in(2)) {
        cancel_tracked(*tracked.delegate);
    } else if (!is_closing_ && one_in(3)) {
        note(Feature::cancel_confirmed_late);
        confirmed_next_tick_.push_back(&tracked);
        tick_again();
    } else {
        finish(tracked, one_in(4) ? 2 : cancelled);
    }
}

void RandomMachine::write_and_ring(Tracked& tracked) {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) tracked.write();
    if (one_in(4)) {
        note(Feature::written_without_ring);
        return;
    }
    note(tracked.op().source().thread == ref().thread ? Feature::rung_here
                                                      : Feature::rung_elsewhere);
    tracked.rung = tracked.written;
    notify(static_cast<StandingOp&>(tracked.op()));
    if (one_in(8)) {
        note(Feature::ring_and_end);
        finish(tracked, 0);
    }
}

void RandomMachine::serve_something() {
    if (!intercepted_.empty() && one_in(2)) {
        Tracked& tracked = *intercepted_[below(intercepted_.size())].tracked;
        if (tracked.op().is_standing() && !one_in(6)) {
            note(Feature::intercepted_and_rung);
            return write_and_ring(tracked);
        }
        note(Feature::answered_later);
        return finish(tracked, 5);
    }
    if (held_.empty()) return;
    Tracked& tracked = *held_[below(held_.size())];
    if (tracked.op().is_standing() && !one_in(6)) return write_and_ring(tracked);
    finish(tracked, 6);
}

void RandomMachine::finish(Tracked& tracked, std::int32_t result) {
    if (Tracked* asked = std::exchange(tracked.delegate, nullptr)) asked->on_behalf_of = nullptr;
    std::erase(confirmed_next_tick_, &tracked);
    const auto found =
        std::find_if(intercepted_.begin(), intercepted_.end(),
                     [&tracked](const Intercepted& entry) { return entry.tracked == &tracked; });
    const bool is_answer = found != intercepted_.end();
    program_.ledger_.on_completing(tracked, ref(), is_answer);
    if (is_answer) {
        Machine& child = *found->child;
        intercepted_.erase(found);
        answer(child, tracked.op(), result);
    } else {
        std::erase(held_, &tracked);
        complete(tracked.op(), result);
    }
}

// ---- As a parent ----

void RandomMachine::on_child_output(Machine& child, Op& op, Lane lane) {
    const bool passes_on =
        is_closing_ || lane != Lane::submissions || role_ == Role::passes_on || one_in(2);
    const bool can_transform = op.code() == OpCode::first_custom && steps_left_ > 0;
    if (passes_on || (role_ == Role::transforms && !can_transform)) {
        note(Feature::passed_on_by_parent);
        return forward(op, lane);
    }
    Tracked& tracked = tracked_of(op);
    const MachineRef to = op.destination();
    hold(op);
    intercepted_.push_back({&child, &tracked});
    if (role_ == Role::transforms) {
        note(Feature::transformed);
        return delegate(tracked, to ? to : platform_ref());
    }
    note(Feature::intercepted);
    if (op.is_standing() || !one_in(2)) return;
    note(Feature::answered_at_once);
    finish(tracked, 7);
}

}  // namespace gyre::property
