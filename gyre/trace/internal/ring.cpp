// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/ring.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "gyre/kernel/machine.hpp"

namespace gyre::trace {

Ring::Ring(LoopName name, RingLimits limits, Timestamps& stamps)
    : name_(std::move(name)),
      timestamps_(stamps),
      mask_(std::bit_ceil(std::max<std::uint64_t>(limits.event_count_max, 2)) - 1),
      events_(std::make_unique_for_overwrite<Event[]>(mask_ + 1)),
      machine_names_(limits.machine_name_count_max),
      task_names_(limits.task_name_count_max) {}

Event& Ring::add(EventKind kind) noexcept {
    Event& event = events_[next_++ & mask_];
    event.stamp = timestamps_.next(now_);
    event.kind = kind;
    return event;
}

Event& Ring::add_op(EventKind kind, const Op& op, const Machine* machine) noexcept {
    Event& event = add(kind);
    event.op.id = op.id();
    event.code = op.code();
    event.machine = 0;
    if (machine != nullptr) {
        learn(*machine);
        event.machine = machine->ref().machine;
    }
    return event;
}

void Ring::learn(const Machine& machine) noexcept {
    const MachineId id = machine.ref().machine;
    if (!machine_names_.knows(id)) machine_names_.set(id, machine.name());
}

void Ring::on_submit(const Op& op, const Machine& by) noexcept {
    Event& event = add_op(EventKind::submit, op, &by);
    event.op.parent = op.parent_op_id();
    event.op.trace = op.trace_id();
}

void Ring::on_route(const Op& op, Lane lane, const Machine* to) noexcept {
    add_op(to != nullptr ? EventKind::route : EventKind::leave, op, to).lane = lane;
}

void Ring::on_complete(const Op& op, const Machine& by) noexcept {
    add_op(EventKind::complete, op, &by).op.result = op.result();
}

void Ring::on_tick(const Machine& machine, Instant now) noexcept {
    now_ = now;
    add(EventKind::tick).machine = machine.ref().machine;
    learn(machine);
}

void Ring::on_wait(Instant deadline) noexcept {
    add(EventKind::wait).time_ns = deadline.nanoseconds();
}

void Ring::on_waited(Instant now) noexcept {
    now_ = now;
    add(EventKind::waited).time_ns = now.nanoseconds();
}

void Ring::on_turned() noexcept {
    (void)add(EventKind::turned);
}

void Ring::on_task(TaskEvent event, std::uint64_t task_id, std::string_view name) noexcept {
    static_assert(static_cast<int>(EventKind::task_ended) -
                      static_cast<int>(EventKind::task_named) ==
                  static_cast<int>(TaskEvent::ended));
    const auto kind = static_cast<EventKind>(static_cast<std::uint8_t>(EventKind::task_named) +
                                             static_cast<std::uint8_t>(event));
    const bool is_at_place = event == TaskEvent::suspended && where_.line() != 0;
    add(kind).task = {task_id, is_at_place ? where_.file_name() : nullptr, where_.line()};
    if (!name.empty()) task_names_.set(task_id, name);
}

void Ring::on_task_waits(std::uint64_t /*task_id*/, std::string_view what,
                         const std::source_location& where) noexcept {
    where_ = where;
    add_text(EventKind::task_waits, what);
}

void Ring::on_mark(std::string_view text) noexcept {
    add_text(EventKind::mark, text);
}

void Ring::add_text(EventKind kind, std::string_view text) noexcept {
    Event::Text& kept = add(kind).text;
    const std::string_view start = cut_text(text, Event::Text::size_max);
    kept.size = static_cast<std::uint8_t>(start.size());
    std::memcpy(kept.bytes, start.data(), start.size());
}

}  // namespace gyre::trace
