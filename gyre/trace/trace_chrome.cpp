// SPDX-License-Identifier: Apache-2.0
// The export of a trace in Chrome's trace event format.
#include "gyre/trace/trace.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "gyre/trace/internal/loop_export.hpp"

namespace gyre::trace {
namespace {

// Loops that exchange ops, with the flows of these ops.
struct World {
    std::uint32_t number = 0;
    Flows flows;
};

class ChromeExport {
public:
    ChromeExport(const Trace& trace, TraceSink& sink)
        : trace_(trace), scale_(trace.time_scale()), out_(sink, first_ns()) {}

    void write() {
        find_flows();
        out_.raw("{\"traceEvents\":[");
        std::uint32_t loop_number = 0;
        auto last_thread = static_cast<std::uint32_t>(trace_.rings().size());
        for (const Ring& ring : trace_.rings()) {
            World& world = worlds_.at(ring.name().world);
            const Row row{world.number, ++loop_number};
            LoopExport(ring, row, world.flows, last_thread, scale_, out_).write();
        }
        for (const auto& [name, world] : worlds_) {
            out_.begin('M', {world.number, 0}, "process_name").arguments().text("name", name).end();
        }
        write_lost();
        out_.flush();
    }

private:
    [[nodiscard]] std::uint64_t first_ns() const noexcept {
        std::uint64_t first = scale_.ns_of(scale_.end());
        for (const Ring& ring : trace_.rings()) {
            if (ring.event_count() > 0) first = std::min(first, scale_.ns_of(ring.event(0).stamp));
        }
        return first;
    }

    // Before any ring is written: a loop may route an op that was submitted in a later ring.
    void find_flows() {
        std::uint64_t last_flow = 0;
        for (const Ring& ring : trace_.rings()) {
            const auto [place, is_new] = worlds_.try_emplace(ring.name().world);
            World& world = place->second;
            if (is_new) world.number = static_cast<std::uint32_t>(worlds_.size());
            for (std::uint64_t i = 0; i < ring.event_count(); ++i) {
                const Event& event = ring.event(i);
                if (event.kind != EventKind::submit) continue;
                world.flows[event.op.id] = {.number = ++last_flow};
            }
        }
    }

    void write_lost() {
        std::string text = "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost_events\":[";
        for (const Ring& ring : trace_.rings()) {
            text += &ring == &trace_.rings().front() ? "{\"loop\":" : ",{\"loop\":";
            append_json_string(text, ring.name().loop);
            text += ",\"world\":";
            append_json_string(text, ring.name().world);
            text += ",\"count\":" + std::to_string(ring.lost_count()) + "}";
        }
        out_.raw(text + "]}}\n");
    }

    const Trace& trace_;
    const TimeScale scale_;
    ChromeWriter out_;
    std::map<std::string, World> worlds_;
};

}  // namespace

void write_chrome(const Trace& trace, TraceSink& sink) {
    ChromeExport(trace, sink).write();
}

std::string chrome_json(const Trace& trace) {
    TextSink sink;
    write_chrome(trace, sink);
    return std::move(sink.text);
}

}  // namespace gyre::trace
