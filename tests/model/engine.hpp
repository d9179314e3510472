// SPDX-License-Identifier: Apache-2.0
// The scheduler under one exploration: runs the scenario again and again, each time with the next
// schedule, and stops at the first failure. Everything runs on the fibers of one system thread.
//
// A thread decides who goes next just before each of its accesses, so between two accesses it runs
// undisturbed. Being stopped there while it could go on is a preemption; blocking, yielding and
// ending are not. A thread that is picked carries out its access without another decision, hence no
// two schedules of one exploration are the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "choices.hpp"
#include "fiber.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "trace.hpp"

namespace model {

class Engine {
public:
    // The one whose scenario or thread is running now; null outside of explore().
    static Engine* current() noexcept;

    Engine(const Options& options, std::function<void(Run&)> scenario);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    Outcome explore();

    // For the scenario.
    void add_thread(std::string_view name, std::function<void()> body);
    void start_and_join();

    // For the code that runs in a thread.
    std::uint64_t load(Cell& cell, std::memory_order order);
    void store(Cell& cell, std::memory_order order, std::uint64_t value);
    std::uint64_t update(const char* operation, Cell& cell, std::memory_order order, Update compute,
                         std::uint64_t argument);
    bool compare_exchange(Cell& cell, std::uint64_t& expected, Exchange exchange);
    void yield();
    // One access: it is carried out once `is_true` holds, and not before.
    void wait_until(const char* operation, const void* object,
                    const std::function<bool()>& is_true);
    // One access that another thread may be waiting for.
    void signal(const char* operation, const void* object);
    // Ends the run and the exploration; the stacks of the run are left as they are.
    [[noreturn]] void fail(const std::string& reason);

    Trace& trace() noexcept { return trace_; }
    Memory& memory() noexcept { return memory_; }
    std::size_t running() const noexcept { return running_; }

private:
    enum class State : std::uint8_t { ready, waiting, yielded, ended };
    struct Thread {
        std::function<void()> body;
        std::unique_ptr<Fiber> fiber;
        State state = State::ended;
        const std::function<bool()>* waits_for = nullptr;
        bool is_just_picked = false;
    };
    // Thread numbers, in the order in which they are tried.
    struct Candidates {
        std::array<std::size_t, threads_max> threads{};
        std::uint32_t count = 0;
        void add(std::size_t thread) { threads[count++] = thread; }
    };

    void begin_run();
    void run_scenario_forever();
    void run_thread_forever(std::size_t number);
    void before_access();
    void count_step();
    void pick_next();
    void switch_to(std::size_t thread);
    void something_changed();
    bool can_run(std::size_t thread) const;
    Candidates candidates_besides(std::size_t thread) const;
    [[noreturn]] void fail_as_deadlock();
    std::memory_order weakened(std::memory_order order) const noexcept;

    const Options options_;
    const std::function<void(Run&)> scenario_;
    Choices choices_;
    Memory memory_;
    Trace trace_;
    Outcome outcome_;

    Fiber explorer_;
    std::array<Thread, threads_max> threads_;  // The scenario is the first.
    std::size_t thread_count_ = 1;
    std::size_t running_ = 0;
    bool are_threads_started_ = false;
    std::uint32_t preemptions_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace model
