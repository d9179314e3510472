// SPDX-License-Identifier: Apache-2.0
// JobTrace: tells the observer of the loop which job of a script runs, for --trace. A task of the
// trace is a function at a place, such as `timer onTick (app.js:3:5)`, and runs once for each of its
// jobs. What it waited for is the op that caused the job: the pump's timer for timers, its wake for
// posts. An immediate and the end of a host call have the cause of the job that started them; ticks
// and microtasks that of the job before them. The script's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gyre/job/pump.hpp"

namespace gyre::script {

class JobTrace {
public:
    // Functions of a script that get a row; the others share one.
    static constexpr std::size_t name_count_max = 4096;

    explicit JobTrace(job::Pump& pump) : pump_(pump) {}

    // A job starts, in the words of --steps; the job before it has ended.
    void begin(std::string_view step);
    // A microtask starts, and the engine tells of it, unless it has no name.
    void expect_microtask();
    void end();

    void set_cause(Cause cause) noexcept { cause_ = cause; }
    void keep_immediate(double number);
    void enter_immediate(double number) noexcept;
    void keep_call(double id) { calls_[id] = cause_; }
    void enter_call(double id);

private:
    [[nodiscard]] std::uint64_t id_of(const std::string& name);

    job::Pump& pump_;
    Cause cause_;
    std::uint64_t running_ = 0;
    bool is_microtask_expected_ = false;
    std::unordered_map<std::string, std::uint64_t> ids_;
    std::vector<Cause> immediates_;            // by the library's numbers
    std::unordered_map<double, Cause> calls_;  // by the library's ids
};

}  // namespace gyre::script
