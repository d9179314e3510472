// SPDX-License-Identifier: Apache-2.0
// Ring: the observer that remembers the last events of one loop. It belongs to the loop's thread
// while that turns, and to whoever reads it afterwards; its Trace owns it. After it is made it
// allocates nothing: the oldest events are overwritten, and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gyre/kernel/observer.hpp"
#include "gyre/trace/event.hpp"
#include "gyre/trace/internal/names.hpp"
#include "gyre/trace/internal/stamps.hpp"

namespace gyre::trace {

// Who is recorded: a loop, and the world of those that it exchanges ops with. Op ids are unique in
// a world.
struct LoopName {
    std::string loop;
    std::string world = "gyre";
};

struct RingLimits {
    std::uint32_t event_count_max = 1u << 16u;  // rounded up to a power of two
    std::uint32_t machine_name_count_max = 1024;
    std::uint32_t task_name_count_max = 4096;
};

// Aligned, so that two loops do not write to one cache line.
class alignas(64) Ring final : public Observer {
public:
    Ring(LoopName name, RingLimits limits, Stamps& stamps);

    void on_submit(const Op& op, const Machine& by) noexcept override;
    void on_route(const Op& op, Lane lane, const Machine* to) noexcept override;
    void on_complete(const Op& op, const Machine& by) noexcept override;
    void on_tick(const Machine& machine, Instant now) noexcept override;
    void on_wait(Instant deadline) noexcept override;
    void on_waited(Instant now) noexcept override;
    void on_turned() noexcept override;
    void on_task(TaskEvent event, std::uint64_t task_id, std::string_view name) noexcept override;
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
    // Empty where the name is not known.
    [[nodiscard]] std::string_view machine_name(MachineId id) const noexcept {
        return machine_names_.find(id);
    }
    [[nodiscard]] std::string_view task_name(std::uint64_t id) const noexcept {
        return task_names_.find(id);
    }

private:
    [[nodiscard]] Event& add(EventKind kind) noexcept;
    Event& add_op(EventKind kind, const Op& op, const Machine* machine) noexcept;
    void learn(const Machine& machine) noexcept;

    const LoopName name_;
    Stamps& stamps_;
    Instant now_;  // of the turn
    std::uint64_t mask_;
    std::uint64_t next_ = 0;
    std::unique_ptr<Event[]> events_;
    Names machine_names_;
    Names task_names_;
};

}  // namespace gyre::trace
