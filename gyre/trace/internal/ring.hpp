// SPDX-License-Identifier: Apache-2.0
// Ring: an observer that keeps the newest events of one loop; the oldest are overwritten and
// counted. Allocates only when it is made. Its loop's thread writes it; after the loop's last turn
// any thread may read it. Owned by its Trace. Event: one event in it, a plain value of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>

#include "gyre/kernel/observer.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/trace/internal/name_table.hpp"
#include "gyre/trace/internal/timestamps.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::trace {

enum class EventKind : std::uint8_t {
    submit,
    route,  // to a machine of this loop
    leave,  // to another loop
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
    task_waits,  // before task_suspended
    mark,
};

struct Event {
    // Of a submit: parent and trace. Of a complete: result.
    struct OpPart {
        OpId id;
        union {
            OpId parent;
            std::int64_t result;
        };
        TraceId trace;
    };
    // Of a task_suspended: the line of its await.
    struct TaskPart {
        std::uint64_t id;
        const char* file;  // of the program, a literal; null if unknown
        std::uint32_t line;
    };
    // The first bytes of a mark's text, or of what a task waits for.
    struct Text {
        static constexpr std::size_t size_max = 23;
        std::uint8_t size;
        char bytes[size_max];
        [[nodiscard]] std::string_view view() const noexcept { return {bytes, size}; }
    };

    std::uint64_t stamp;  // see Timestamps
    union {
        OpPart op;
        TaskPart task;
        std::uint64_t time_ns;  // wait: the deadline; waited: the time of the turn
        Text text;
    };
    MachineId machine;
    OpCode code;
    EventKind kind;
    Lane lane;
};
static_assert(sizeof(Event) == 40);

// Aligned: two loops must not write to one cache line.
class alignas(64) Ring final : public Observer {
public:
    Ring(LoopName name, RingLimits limits, Timestamps& stamps);

    void on_submit(const Op& op, const Machine& by) noexcept override;
    void on_route(const Op& op, Lane lane, const Machine* to) noexcept override;
    void on_complete(const Op& op, const Machine& by) noexcept override;
    void on_tick(const Machine& machine, Instant now) noexcept override;
    void on_wait(Instant deadline) noexcept override;
    void on_waited(Instant now) noexcept override;
    void on_turned() noexcept override;
    void on_task(TaskEvent event, std::uint64_t task_id, std::string_view name) noexcept override;
    void on_task_waits(std::uint64_t task_id, std::string_view what,
                       const std::source_location& where) noexcept override;
    void on_mark(std::string_view text) noexcept override;

    [[nodiscard]] const LoopName& name() const noexcept { return name_; }
    [[nodiscard]] std::uint64_t event_count() const noexcept { return next_ - lost_count(); }
    [[nodiscard]] std::uint64_t lost_count() const noexcept {
        return next_ > mask_ + 1 ? next_ - (mask_ + 1) : 0;
    }
    // From the oldest, 0, to the newest.
    [[nodiscard]] const Event& event(std::uint64_t index) const noexcept {
        return events_[(lost_count() + index) & mask_];
    }
    // Empty when the name is unknown.
    [[nodiscard]] std::string_view machine_name(MachineId id) const noexcept {
        return machine_names_.find(id);
    }
    [[nodiscard]] std::string_view task_name(std::uint64_t id) const noexcept {
        return task_names_.find(id);
    }

private:
    [[nodiscard]] Event& add(EventKind kind) noexcept;
    void add_text(EventKind kind, std::string_view text) noexcept;
    Event& add_op(EventKind kind, const Op& op, const Machine* machine) noexcept;
    void learn(const Machine& machine) noexcept;

    const LoopName name_;
    Timestamps& timestamps_;
    Instant now_;                 // of the turn
    std::source_location where_;  // of the await that suspends a task
    std::uint64_t mask_;
    std::uint64_t next_ = 0;
    std::unique_ptr<Event[]> events_;
    NameTable machine_names_;
    NameTable task_names_;
};

}  // namespace gyre::trace
