// SPDX-License-Identifier: Apache-2.0
// Worker: one thread that runs a script for another script (worker_threads). The host that makes
// loops and engines gives the function that runs it:
//
//     script::ThreadOptions options{.run_worker = [&](script::Worker& worker) {
//         script::WorkerSystem system(outside, worker);
//         script::Script program(clock, system, options_of(worker.order()));
//         script::Threads threads(program, {.self = &worker});
//         Loop loop(*platform, executor);
//         worker.start(program);
//         return worker.run(program, loop);
//     }};
//
// Thread: the worker's own; `stop` and the inbox from any.
// Lifetime: outlives its thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lang/script/system.hpp"

namespace gyre {
class Loop;
}

namespace gyre::script {

class PortHub;
class Script;
class ThreadInbox;

// What a script has asked for.
struct WorkerOrder {
    bool is_text = false;    // `source` is the program, else its file
    bool is_module = false;  // of a text
    std::string source;
    std::string setup;  // JSON, for the library of the worker
    System::Variables environment;
    std::vector<std::string> arguments;
    std::size_t memory_limit_bytes = 0;  // 0: that of the host; and so on
    std::size_t stack_limit_bytes = 0;
    std::size_t young_limit_bytes = 0;
};

class Worker {
public:
    Worker(WorkerOrder order, std::shared_ptr<PortHub> hub, std::shared_ptr<ThreadInbox> parent,
           double event);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    [[nodiscard]] const WorkerOrder& order() const noexcept { return order_; }
    [[nodiscard]] const std::shared_ptr<PortHub>& hub() const noexcept { return hub_; }

    void start(Script& script);
    // Runs it to its end; the number is for `end`.
    [[nodiscard]] int run(Script& script, Loop& loop);

    // Any thread: ends its script, with status 1.
    void stop();
    [[nodiscard]] bool is_stopped();
    // A script that waits for the worker hears of these.
    void tell_online();
    void tell_output(int stream, std::string_view bytes);
    void tell_end(int status);
    // The script could not be made or run.
    void tell_failure(std::string_view text);

private:
    const WorkerOrder order_;
    const std::shared_ptr<PortHub> hub_;
    const std::shared_ptr<ThreadInbox> parent_;
    const double event_;
    std::mutex mutex_;
    Script* script_ = nullptr;
    bool is_stopped_ = false;
};

// The system of a worker: its output goes through the script that started it, its variables are those
// that it was given, and it has no standard input, no terminal and no signals. A sandbox around it
// confines it as its parent.
class WorkerSystem final : public System {
public:
    WorkerSystem(System& outside, Worker& worker) : outside_(outside), worker_(worker) {}

    std::optional<std::string> read_file(const std::string& path) override {
        return outside_.read_file(path);
    }
    FileKind kind_of(const std::string& path) override { return outside_.kind_of(path); }
    std::string real_path(const std::string& path) override { return outside_.real_path(path); }
    std::string directory() override { return outside_.directory(); }
    void write(int stream, std::string_view text) override { worker_.tell_output(stream, text); }
    bool fill_random(std::span<std::byte> bytes) override { return outside_.fill_random(bytes); }
    Variables environment() override { return worker_.order().environment; }
    std::string program_path() override { return outside_.program_path(); }
    std::string host_name() override { return outside_.host_name(); }
    std::string release() override { return outside_.release(); }
    int process_id() override { return outside_.process_id(); }
    int send_signal(int process, int signal) override {
        return outside_.send_signal(process, signal);
    }
    int set_priority(int process, int priority) override {
        return outside_.set_priority(process, priority);
    }
    std::vector<NetworkInterface> network_interfaces() override {
        return outside_.network_interfaces();
    }
    unsigned core_count() override { return outside_.core_count(); }
    std::size_t resident_bytes() override { return outside_.resident_bytes(); }

private:
    System& outside_;
    Worker& worker_;
};

}  // namespace gyre::script
