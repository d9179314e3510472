// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/loop_export.hpp"

#include <utility>

#include "gyre/io/op_kinds.hpp"

namespace gyre::trace {
namespace {

constexpr std::uint64_t in_flight_lasts_ns = 1000;  // long enough to be visible
constexpr std::int64_t rows_of_a_loop = 1 << 20;    // sorts the rows of tasks below their loop

const char* name_of(Lane lane) noexcept {
    switch (lane) {
        case Lane::submissions:
            return "submission";
        case Lane::cancellations:
            return "cancellation";
        case Lane::completions:
            return "completion";
        case Lane::notifications:
            break;
    }
    return "notification";
}

}  // namespace

LoopExport::LoopExport(const Ring& ring, Row row, Flows& flows, std::uint32_t& last_thread,
                       const TimeScale& scale, ChromeWriter& out)
    : ring_(ring), row_(row), flows_(flows), last_thread_(last_thread), scale_(scale), out_(out) {}

void LoopExport::write() {
    for (std::uint64_t i = 0; i < ring_.event_count(); ++i) {
        const Event& event = ring_.event(i);
        const std::uint64_t now_ns = scale_.ns_of(event.stamp);
        if (i == 0 && ring_.lost_count() > 0) {
            out_.begin('i', row_, std::to_string(ring_.lost_count()) + " events before this lost")
                .at(now_ns)
                .text("s", "t")
                .end();
            outer_ = OpenSlice{"turn", now_ns};  // The start of the turn is lost too.
        }
        write(event, now_ns);
    }
    const std::uint64_t end_ns = scale_.ns_of(scale_.end());
    close_all(end_ns);
    for (auto& [id, task] : tasks_) {
        if (task.runs_since_ns) write_run(id, task, {}, end_ns);
    }
    write_flows_in_flight(end_ns);
    name_rows();
}

void LoopExport::write(const Event& event, std::uint64_t now_ns) {
    switch (event.kind) {
        case EventKind::submit:
            return write_submit(event, now_ns);
        case EventKind::route:
        case EventKind::leave:
            return write_route(event, now_ns);
        case EventKind::complete:
            return write_complete(event, now_ns);
        case EventKind::tick:
            ensure_slice(now_ns);
            close(tick_, now_ns);
            tick_ = OpenSlice{machine_name(event.machine), now_ns};
            return;
        case EventKind::wait:
            close_all(now_ns);
            outer_ = OpenSlice{"wait", now_ns};
            return;
        case EventKind::waited:
            close_all(now_ns);
            outer_ = OpenSlice{"turn", now_ns};
            return;
        case EventKind::turned:
            return close_all(now_ns);
        case EventKind::mark:
            ensure_slice(now_ns);
            out_.begin('i', row_, event.text.view()).at(now_ns).text("s", "t").end();
            return;
        case EventKind::task_waits:
            waits_for_ = event.text.view();
            return;
        case EventKind::task_named:
        case EventKind::task_started:
        case EventKind::task_suspended:
        case EventKind::task_resumed:
        case EventKind::task_ended:
            return write_task(event, now_ns);
    }
}

void LoopExport::write_submit(const Event& event, std::uint64_t now_ns) {
    ensure_slice(now_ns);
    out_.begin('s', row_, name_of(io_code(event.code))).at(now_ns).text("cat", "op");
    out_.id("id", flows_.at(event.op.id).number).arguments().id("op", event.op.id);
    out_.id("trace", event.op.trace).id("parent", event.op.parent);
    out_.text("by", machine_name(event.machine));
    if (!running_.empty()) out_.text("task", task_name(running_.back()));
    out_.end();
}

// A loop routes only between ticks.
void LoopExport::write_route(const Event& event, std::uint64_t now_ns) {
    ensure_slice(now_ns);
    close(tick_, now_ns);
    const auto flow = flows_.find(event.op.id);
    if (flow == flows_.end()) return;
    out_.begin('t', row_, name_of(io_code(event.code))).at(now_ns).text("cat", "op");
    out_.id("id", flow->second.number).arguments().text("lane", name_of(event.lane));
    const bool leaves = event.kind == EventKind::leave;
    out_.text("to", leaves ? "another loop" : machine_name(event.machine)).end();
}

void LoopExport::write_complete(const Event& event, std::uint64_t now_ns) {
    ensure_slice(now_ns);
    const auto flow = flows_.find(event.op.id);
    if (flow == flows_.end()) return;
    flow->second.is_ended = true;
    out_.begin('f', row_, name_of(io_code(event.code))).at(now_ns).text("cat", "op");
    out_.id("id", flow->second.number).text("bp", "e").arguments();
    out_.number("result", event.op.result).end();
}

void LoopExport::write_task(const Event& event, std::uint64_t now_ns) {
    const std::uint64_t id = event.task.id;
    TaskRow& task = task_of(id);
    if (event.kind == EventKind::task_named) return;
    Stop stop;
    if (event.kind == EventKind::task_suspended) {
        stop.waits_for = std::exchange(waits_for_, {});
        if (event.task.file != nullptr) {
            stop.place = std::string(event.task.file) + ":" + std::to_string(event.task.line);
        }
    }
    if (task.runs_since_ns) write_run(id, task, stop, now_ns);
    const bool runs =
        event.kind == EventKind::task_started || event.kind == EventKind::task_resumed;
    task.runs_since_ns = runs ? std::optional(now_ns) : std::nullopt;
    if (!runs) task.last_stop = std::move(stop);
    std::erase(running_, id);
    if (runs) running_.push_back(id);
}

// From where it was suspended, and why, to where it is suspended next.
void LoopExport::write_run(std::uint64_t id, const TaskRow& task, const Stop& stop,
                           std::uint64_t now_ns) {
    out_.begin('X', task.row, task_name(id)).during(*task.runs_since_ns, now_ns);
    out_.text("cat", "task").arguments().number("task", static_cast<std::int64_t>(id));
    const auto add = [this](const char* key, const std::string& text) {
        if (!text.empty()) out_.text(key, text);
    };
    add("waited_for", task.last_stop.waits_for);
    add("waited_at", task.last_stop.place);
    add("waits_for", stop.waits_for);
    add("waits_at", stop.place);
    out_.end();
}

// The end of a flow needs a slice around it: one slice for all flows in flight.
void LoopExport::write_flows_in_flight(std::uint64_t end_ns) {
    bool is_first = true;
    for (std::uint64_t i = 0; i < ring_.event_count(); ++i) {
        const Event& event = ring_.event(i);
        if (event.kind != EventKind::submit) continue;
        Flow& flow = flows_.at(event.op.id);
        if (flow.is_ended) continue;
        flow.is_ended = true;
        if (std::exchange(is_first, false)) {
            out_.begin('X', row_, "in flight").during(end_ns, end_ns + in_flight_lasts_ns).end();
        }
        out_.begin('f', row_, name_of(io_code(event.code))).at(end_ns).text("cat", "op");
        out_.id("id", flow.number).text("bp", "e").arguments();
        out_.text("state", "in flight").end();
    }
}

void LoopExport::name_rows() {
    const std::int64_t first_row = row_.thread * rows_of_a_loop;
    const auto name_row = [this, first_row](Row row, std::string_view name) {
        out_.begin('M', row, "thread_name").arguments().text("name", name).end();
        out_.begin('M', row, "thread_sort_index").arguments();
        out_.number("sort_index", first_row + (row.thread == row_.thread ? 0 : row.thread)).end();
    };
    name_row(row_, ring_.name().loop);
    for (const auto& [id, task] : tasks_) name_row(task.row, task_name(id));
}

void LoopExport::ensure_slice(std::uint64_t now_ns) {
    if (!outer_) outer_ = OpenSlice{"between turns", now_ns};
}

void LoopExport::close(std::optional<OpenSlice>& slice, std::uint64_t now_ns) {
    if (!slice) return;
    const char* category = &slice == &tick_ ? "tick" : "loop";
    out_.begin('X', row_, slice->name).during(slice->since_ns, now_ns).text("cat", category).end();
    slice.reset();
}

void LoopExport::close_all(std::uint64_t now_ns) {
    close(tick_, now_ns);
    close(outer_, now_ns);
}

LoopExport::TaskRow& LoopExport::task_of(std::uint64_t id) {
    const auto [place, is_new] = tasks_.try_emplace(id);
    if (is_new) place->second.row = {row_.process, ++last_thread_};
    return place->second;
}

std::string LoopExport::task_name(std::uint64_t id) const {
    const std::string_view name = ring_.task_name(id);
    return name.empty() ? "task " + std::to_string(id) : std::string(name);
}

std::string LoopExport::machine_name(MachineId id) const {
    const std::string_view name = ring_.machine_name(id);
    return name.empty() ? "machine " + std::to_string(id) : std::string(name);
}

}  // namespace gyre::trace
