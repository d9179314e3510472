// SPDX-License-Identifier: Apache-2.0
// LoopExport: writes the events of one ring as slices and flows. One thread; lives for one export.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gyre/trace/internal/chrome_writer.hpp"
#include "gyre/trace/internal/ring.hpp"

namespace gyre::trace {

// An op whose submission is in the trace is a flow with a number.
struct Flow {
    std::uint64_t number = 0;
    bool is_ended = false;
};
using Flows = std::unordered_map<OpId, Flow>;

class LoopExport {
public:
    // Tasks get rows from `last_thread` + 1 on.
    LoopExport(const Ring& ring, Row row, Flows& flows, std::uint32_t& last_thread,
               const TimeScale& scale, ChromeWriter& out);

    void write();

private:
    struct OpenSlice {
        std::string name;
        std::uint64_t since_ns;
    };
    // Where a task was suspended, and what it waited for; empty where that is unknown.
    struct Stop {
        std::string place;
        std::string waits_for;
    };
    struct TaskRow {
        Row row;
        std::optional<std::uint64_t> runs_since_ns;
        Stop last_stop;
    };

    void write(const Event& event, std::uint64_t now_ns);
    void write_submit(const Event& event, std::uint64_t now_ns);
    void write_route(const Event& event, std::uint64_t now_ns);
    void write_complete(const Event& event, std::uint64_t now_ns);
    void write_task(const Event& event, std::uint64_t now_ns);
    void write_run(std::uint64_t id, const TaskRow& task, const Stop& stop, std::uint64_t now_ns);
    void write_flows_in_flight(std::uint64_t end_ns);
    void name_rows();

    // Events before the first turn, or from another loop's callbacks, get a slice of their own.
    void ensure_slice(std::uint64_t now_ns);
    void close(std::optional<OpenSlice>& slice, std::uint64_t now_ns);
    void close_all(std::uint64_t now_ns);
    [[nodiscard]] TaskRow& task_of(std::uint64_t id);
    [[nodiscard]] std::string machine_name(MachineId id) const;
    [[nodiscard]] std::string task_name(std::uint64_t id) const;

    const Ring& ring_;
    const Row row_;
    Flows& flows_;
    std::uint32_t& last_thread_;
    const TimeScale& scale_;
    ChromeWriter& out_;
    std::optional<OpenSlice> outer_;  // a wait, a turn, or the time between two turns
    std::optional<OpenSlice> tick_;
    std::map<std::uint64_t, TaskRow> tasks_;
    std::vector<std::uint64_t>
        running_;            // a task, and the tasks that it polls, one inside the other
    std::string waits_for_;  // of the task that is suspended next
};

}  // namespace gyre::trace
