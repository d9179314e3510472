// SPDX-License-Identifier: Apache-2.0
// Inspection: what `gyre uv --stats` and `--trace` ask for by GYRE_UV_STATS and GYRE_TRACE: figures
// of each loop when it ends or the process exits, and one trace of all. A process that is killed or
// ends by _exit reports nothing. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/observer.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::uv {

class LoopState;

// What is noted of one loop. Its thread, like the loop.
class InspectedLoop final : public Observer {
public:
    // `next` gets every event too; it may be null.
    InspectedLoop(std::string name, Clock& clock, Observer* next) noexcept
        : name_(std::move(name)), clock_(clock), next_(next), began_at_(clock.now()) {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] Instant began_at() const noexcept { return began_at_; }
    // The longest time between two waits: so late a callback can have been.
    [[nodiscard]] Duration lag() const noexcept { return lag_; }

private:
    void on_submit(const Op& op, const Machine& by) noexcept override {
        if (next_ != nullptr) next_->on_submit(op, by);
    }
    void on_route(const Op& op, Lane lane, const Machine* to) noexcept override {
        if (next_ != nullptr) next_->on_route(op, lane, to);
    }
    void on_complete(const Op& op, const Machine& by) noexcept override {
        if (next_ != nullptr) next_->on_complete(op, by);
    }
    void on_tick(const Machine& machine, Instant now) noexcept override {
        if (next_ != nullptr) next_->on_tick(machine, now);
    }
    void on_wait(Instant deadline) noexcept override;
    void on_waited(Instant now) noexcept override;
    void on_turned() noexcept override {
        if (next_ != nullptr) next_->on_turned();
    }

    const std::string name_;
    Clock& clock_;
    Observer* const next_;
    const Instant began_at_;
    Instant waited_until_;
    Duration lag_{0};
};

class Inspection {
public:
    // Null when nothing is asked for, which is read once.
    [[nodiscard]] static Inspection* of_process() noexcept;

    // For a loop that is being made; `remove` before it ends.
    [[nodiscard]] std::unique_ptr<InspectedLoop> add(LoopState& loop);
    void remove(LoopState& loop) noexcept;

    // The program's instruction that called into this library.
    [[nodiscard]] static const void* caller() noexcept;

private:
    Inspection(bool tells_figures, const std::string& trace_path);
    void at_exit() noexcept;
    void tell(LoopState& loop) const;
    [[nodiscard]] bool is_one_running_elsewhere() const noexcept;

    const bool tells_figures_;
    std::mutex mutex_;
    std::vector<LoopState*> loops_;
    std::unique_ptr<FileTree> files_;
    std::unique_ptr<trace::TraceFile> trace_;
    std::size_t count_ = 0;
};

}  // namespace gyre::uv
