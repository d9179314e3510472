// SPDX-License-Identifier: Apache-2.0
#include "tests/property/ledger.hpp"

namespace gyre::property {
namespace {

constexpr std::size_t violation_count_max = 10;

std::uint64_t number_of(MachineRef machine) noexcept {
    return (std::uint64_t{machine.thread} << 32u) | machine.machine;
}

}  // namespace

const char* name_of(Feature feature) noexcept {
    static constexpr std::array<const char*, static_cast<std::size_t>(Feature::count)> names = {
        "three_loops",
        "depth_of_four",
        "many_machines",
        "timer",
        "ask_platform",
        "ask_here",
        "ask_elsewhere",
        "ask_burst",
        "ask_again",
        "watch_here",
        "watch_elsewhere",
        "feed_here",
        "feed_elsewhere",
        "wake",
        "wake_rung",
        "work",
        "work_of_held_op",
        "post",
        "in_background",
        "delegated",
        "left_for_later",
        "rung_here",
        "rung_elsewhere",
        "written_without_ring",
        "ring_and_end",
        "cancel_here",
        "cancel_elsewhere",
        "cancel_of_timer",
        "cancel_of_standing",
        "cancel_at_once",
        "cancel_confirmed",
        "cancel_confirmed_late",
        "cancel_came_too_late",
        "passed_on_by_parent",
        "intercepted",
        "intercepted_and_rung",
        "answered_at_once",
        "answered_later",
        "transformed",
        "closed_at_work",
        "refused_by_closed_loop",
    };
    return names[static_cast<std::size_t>(feature)];
}

void Ledger::check(bool holds, const std::string& law, Tracked* about) {
    if (holds || violations_.size() >= violation_count_max) return;
    std::string line = law;
    if (about != nullptr) {
        line += " (op " + std::to_string(about->op().id()) + ", " +
                gyre::name_of(about->op().code()) + ", of machine " +
                std::to_string(about->op().source().machine) + " at loop " +
                std::to_string(about->op().source().thread) + ")";
    }
    violations_.push_back(std::move(line));
}

void Ledger::on_submitted(Tracked& tracked, Cause cause, MachineRef to) {
    Op& op = tracked.op();
    ++tracked.submitted_count;
    tracked.is_cancel_asked = false;
    tracked.is_order_pinned = false;
    tracked.parent_op_id = cause.op_id;
    // By its own books, not by the op's: the trace of whatever led to it.
    const auto led_to_it = traces_.find(cause.op_id);
    tracked.trace_id = led_to_it == traces_.end() ? op.id() : led_to_it->second;
    traces_[op.id()] = tracked.trace_id;
    parents_[op.id()] = cause.op_id;
    check_trace(op);
    tracked.place_out = ++last_submitted_[{number_of(op.source()), number_of(to)}];
}

void Ledger::on_posted(Tracked& tracked, MachineRef to) {
    ++tracked.submitted_count;
    tracked.is_posted = true;
    tracked.place_out = ++last_submitted_[{0, number_of(to)}];
}

void Ledger::on_taken(Tracked& tracked, MachineRef by) {
    const Op& op = tracked.op();
    check_trace(op);
    std::uint64_t& last = last_taken_[{number_of(op.source()), number_of(by)}];
    check(last < tracked.place_out, "ops of one pair arrive in the order they were sent (K21)",
          &tracked);
    last = tracked.place_out;
}

void Ledger::on_completing(Tracked& tracked, MachineRef by, bool is_answer) {
    if (tracked.is_posted) {
        ++tracked.returned_count;
        return;
    }
    // An answer goes straight to the child and not by way of the loop: a pair of its own.
    constexpr std::uint64_t answering = std::uint64_t{1} << 63u;
    tracked.server = number_of(by) | (is_answer ? answering : 0);
    tracked.place_back = ++last_completed_[{tracked.server, number_of(tracked.op().source())}];
    tracked.is_order_pinned = !tracked.op().is_standing() && !tracked.is_cancel_asked;
}

void Ledger::on_returned(Tracked& tracked) {
    const Op& op = tracked.op();
    ++tracked.returned_count;
    check(tracked.returned_count == tracked.submitted_count,
          "each op comes back exactly once (K10)", &tracked);
    check(op.state() == OpState::idle, "an op that came back is idle (K07)", &tracked);
    check(!op.is_cancelled() || tracked.is_cancel_asked || tracked.server != 0,
          "nothing is cancelled that nobody cancelled (K10)", &tracked);
    check_trace(op);
    if (tracked.is_order_pinned && !tracked.is_cancel_asked) {
        std::uint64_t& last = last_returned_[{tracked.server, number_of(op.source())}];
        check(last < tracked.place_back,
              "completions of one pair arrive in the order they were sent (K21)", &tracked);
        last = tracked.place_back;
    }
    tracked.server = 0;
    if (op.result() == failure(std::errc::owner_dead)) note(Feature::refused_by_closed_loop);
    if (tracked.is_cancel_asked) {
        note(op.is_cancelled() ? Feature::cancel_confirmed : Feature::cancel_came_too_late);
    }
    on_read(tracked);
}

void Ledger::on_read(Tracked& tracked) {
    check(tracked.submitted_count > 0, "only what was submitted is notified (K08)", &tracked);
    check(tracked.read(), "items of a channel come in order (K13)", &tracked);
    check(tracked.seen >= tracked.rung, "a ring shows all that was written before it (K09)",
          &tracked);
}

void Ledger::on_hop(const Op& op) {
    // A posted op has neither id nor trace.
    if (op.id() == 0) return;
    if (op.code() != OpCode::cancel) return check_trace(op);
    check(op.trace_id() == traces_[op.parent_op_id()],
          "a cancellation belongs to the trace of its op (K23)");
}

void Ledger::check_trace(const Op& op) {
    if (op.id() == 0) return;
    check(op.trace_id() == traces_[op.id()],
          "op " + std::to_string(op.id()) + " has the trace of what led to it (K23)");
    check(op.parent_op_id() == parents_[op.id()],
          "op " + std::to_string(op.id()) + " names what led to it (K23)");
}

void Ledger::judge_quiet(Tracked& tracked) {
    check(!tracked.op().is_in_flight() || !tracked.is_cancel_asked || tracked.is_posted,
          "a cancelled op comes back by itself (K10)", &tracked);
    check(tracked.seen >= tracked.rung, "when all is quiet nothing rung is unread (K09)", &tracked);
}

void Ledger::judge_closed(Tracked& tracked) {
    const Op& op = tracked.op();
    check(op.state() == OpState::idle, "after the close every op is idle (K20)", &tracked);
    check(!op.is_in_flight(), "after the close no op is in flight (K20)", &tracked);
    check(!op.is_linked(), "after the close no op is in a queue (K20)", &tracked);
    check(!tracked.message.is_in_flight(), "after the close no message is under way (K20)",
          &tracked);
    // A post that a closing loop refused ends without having been served.
    const bool is_even = tracked.returned_count == tracked.submitted_count;
    check(is_even || (tracked.is_posted && tracked.returned_count < tracked.submitted_count),
          "as many completions as submissions (K10)", &tracked);
    check(tracked.seen >= tracked.rung, "nothing rung is ever unread (K09)", &tracked);
}

}  // namespace gyre::property
