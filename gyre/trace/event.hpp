// SPDX-License-Identifier: Apache-2.0
// Event: one thing that a loop did, as a Ring keeps it. A plain value of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/kernel/op.hpp"

namespace gyre::trace {

enum class EventKind : std::uint8_t {
    submit,
    route,  // to a machine of this loop
    leave,  // for another loop
    complete,
    tick,
    wait,
    waited,
    turned,
    task_named,
    task_started,
    task_suspended,
    task_resumed,
    task_ended,
    mark,
};

struct Event {
    // What the fields of an op's event hold: parent and trace of a submit, result of a complete.
    struct OpPart {
        OpId id;
        union {
            OpId parent;
            std::int64_t result;
        };
        TraceId trace;
    };
    // As much of a mark's text as there is room for; the rest is cut.
    struct Text {
        static constexpr std::size_t size_max = 23;
        std::uint8_t size;
        char bytes[size_max];
        [[nodiscard]] std::string_view view() const noexcept { return {bytes, size}; }
    };

    std::uint64_t stamp;  // see Stamps
    union {
        OpPart op;
        std::uint64_t task_id;
        std::uint64_t time_ns;  // of wait: its deadline; of waited: the time of the turn
        Text text;
    };
    MachineId machine;
    OpCode code;
    EventKind kind;
    Lane lane;
};
static_assert(sizeof(Event) == 40);

}  // namespace gyre::trace
