// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/trace_recorder.hpp"

#include "gyre/io/op_kinds.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre::sim {
namespace {

std::string_view name_of(Lane lane) noexcept {
    switch (lane) {
        case Lane::submissions:
            return "submissions";
        case Lane::cancellations:
            return "cancellations";
        case Lane::completions:
            return "completions";
        case Lane::notifications:
            break;
    }
    return "notifications";
}

std::string_view name_of(TaskEvent event) noexcept {
    switch (event) {
        case TaskEvent::named:
            return "named";
        case TaskEvent::started:
            return "started";
        case TaskEvent::suspended:
            return "suspended";
        case TaskEvent::resumed:
            return "resumed";
        case TaskEvent::ended:
            break;
    }
    return "ended";
}

std::string text_of(Instant instant) {
    if (instant == Instant::never()) return "never";
    return std::to_string(instant.nanoseconds());
}

}  // namespace

void TraceRecorder::begin(std::string_view event) {
    lines_ += text_of(now_) + ' ' + loop_name_ + ' ';
    lines_ += event;
}

void TraceRecorder::add(const Op& op) {
    lines_ += ' ';
    lines_ += name_of(io_code(op.code()));
    lines_ += ' ' + std::to_string(op.id()) + " trace " + std::to_string(op.trace_id()) +
              " parent " + std::to_string(op.parent_op_id());
}

void TraceRecorder::add(const Machine& machine) {
    lines_ += ' ';
    lines_ += machine.name();
    lines_ += '#' + std::to_string(machine.ref().machine);
}

void TraceRecorder::on_submit(const Op& op, const Machine& by) noexcept {
    begin("submit");
    add(op);
    add(by);
    lines_ += '\n';
}

void TraceRecorder::on_route(const Op& op, Lane lane, const Machine* to) noexcept {
    begin("route");
    add(op);
    lines_ += ' ';
    lines_ += name_of(lane);
    if (to != nullptr) {
        add(*to);
    } else {
        lines_ += " elsewhere";
    }
    lines_ += '\n';
}

void TraceRecorder::on_complete(const Op& op, const Machine& by) noexcept {
    begin("complete");
    add(op);
    lines_ += " result " + std::to_string(op.result());
    add(by);
    lines_ += '\n';
}

void TraceRecorder::on_tick(const Machine& machine, Instant now) noexcept {
    now_ = now;
    begin("tick");
    add(machine);
    lines_ += '\n';
}

void TraceRecorder::on_wait(Instant deadline) noexcept {
    begin("wait");
    lines_ += " until " + text_of(deadline) + '\n';
}

void TraceRecorder::on_waited(Instant now) noexcept {
    now_ = now;
    begin("waited");
    lines_ += '\n';
}

void TraceRecorder::on_task(TaskEvent event, std::uint64_t task_id,
                            std::string_view name) noexcept {
    begin("task");
    lines_ += ' ' + std::to_string(task_id) + ' ';
    lines_ += name_of(event);
    if (!name.empty()) lines_ += ' ';
    lines_ += name;
    lines_ += '\n';
}

void TraceRecorder::on_mark(std::string_view text) noexcept {
    begin("mark ");
    lines_ += text;
    lines_ += '\n';
}

}  // namespace gyre::sim
