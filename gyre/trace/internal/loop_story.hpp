// SPDX-License-Identifier: Apache-2.0
// LoopStory: tells the events of one ring as slices and flows. One thread; lives for one export.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "gyre/trace/internal/event_text.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::trace {

// The ops of a world whose submission is in the trace: each is a flow with a number.
struct Flow {
    std::uint64_t number = 0;
    bool is_ended = false;
};
using Flows = std::unordered_map<OpId, Flow>;

class LoopStory {
public:
    // Tasks get rows from `last_thread` + 1 on.
    LoopStory(const Ring& ring, Row row, Flows& flows, std::uint32_t& last_thread,
              const TimeScale& scale, EventText& out);

    void tell();

private:
    // Something that has begun and not ended.
    struct Open {
        std::string name;
        std::uint64_t since_ns;
    };
    struct Task {
        Row row;
        std::optional<std::uint64_t> runs_since_ns;
    };

    void tell(const Event& event, std::uint64_t now_ns);
    void tell_submit(const Event& event, std::uint64_t now_ns);
    void tell_route(const Event& event, std::uint64_t now_ns);
    void tell_complete(const Event& event, std::uint64_t now_ns);
    void tell_task(const Event& event, std::uint64_t now_ns);
    void tell_flows_in_flight(std::uint64_t end_ns);
    void name_rows();

    void be_somewhere(std::uint64_t now_ns);
    void close(std::optional<Open>& slice, std::uint64_t now_ns);
    void close_all(std::uint64_t now_ns);
    [[nodiscard]] Task& task_of(std::uint64_t id);
    [[nodiscard]] std::string machine_name(MachineId id) const;

    const Ring& ring_;
    const Row row_;
    Flows& flows_;
    std::uint32_t& last_thread_;
    const TimeScale& scale_;
    EventText& out_;
    std::optional<Open> outer_;  // a wait, a turn, or what is between two turns
    std::optional<Open> tick_;
    std::map<std::uint64_t, Task> tasks_;
};

}  // namespace gyre::trace
