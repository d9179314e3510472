// SPDX-License-Identifier: Apache-2.0
// JobProgram: a random program of jobs, as data. Body 0 is the main script; every other body is the
// callback of one action, whose kind is the body's. Running a body writes its number. One seed, one
// program. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gyre::job_order {

enum class Kind {
    main,
    tick,
    microtask,
    then,   // at the end of a chain of `number` reactions
    adopt,  // a reaction of a promise that adopts another one
    immediate,
    timeout,   // after `number` ms
    interval,  // every `number` ms, three times
    clear,     // the job of body `body`, if it was started
    unref,     // the same job
    refresh,   // the same job, if it is a timer that waits or runs; three times in all
    block,     // for `number` ms
    reject,    // makes promise `number`, rejected
    handle,    // gives that promise a handler
    fail,      // throws
};
constexpr int interval_runs = 3;
constexpr int refresh_count_max = 3;

struct Action {
    Kind kind = Kind::block;
    int body = 0;
    int number = 0;
};

struct Body {
    Kind kind = Kind::main;
    bool repeats = false;  // it is an interval's, or follows from one
    std::vector<Action> actions;
};

// Where a program blocks. Node's own timer, which stands for all of a program's, is late by up to a
// millisecond where a timer callback took long, or comes twice where a checkpoint did: those orders
// depend on when Node reads the clock.
enum class Work { everywhere, outside_of_timers };

struct JobProgram {
    explicit JobProgram(std::uint64_t seed, Work work = Work::everywhere);

    std::vector<Body> bodies;
    int before_exit = 0;  // a body to run when the loop is dry for the first time; 0: none
    int promise_count = 0;
};

using Order = std::vector<std::string>;
// The lines that all three ways to run a program write.
inline std::string line_of_body(int body) {
    return std::to_string(body);
}
inline std::string line_of_error(int body) {
    return std::string("E").append(std::to_string(body));
}
inline std::string line_of_rejection(int promise) {
    return std::string("U").append(std::to_string(promise));
}
constexpr const char* line_of_handled = "H";
constexpr const char* line_of_exit = "X";

// Runs it in the order of the module job, in virtual time.
Order order_of_jobs(const JobProgram& program, std::uint32_t slice);
// Runs it in a model of Node's order that looks for no speed.
Order order_of_model(const JobProgram& program);
// The program for Node, under node_clock.cpp: prints the order in one line.
std::string as_javascript(const JobProgram& program);

}  // namespace gyre::job_order
