// SPDX-License-Identifier: Apache-2.0
// Threads: gives a script worker_threads: message ports, and workers, which are scripts with an
// engine, a loop and a thread of their own. How a worker is made is the host's: see worker.hpp.
//
//     script::Script program(clock, system, {.engine = script::v8::make_engine});
//     script::Threads threads(program, {.run_worker = run_worker});
//
// Thread: the script's.
// Lifetime: made before the loop; destroyed after the loop and before the script. The destructor
// stops the workers that run and waits for their threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lang/script/threads/worker.hpp"

namespace gyre::script {

struct ThreadOptions {
    // Makes and runs the script of a worker, on its thread; gives its status. What it throws is told
    // as an error of the worker. Empty: there are ports and no workers.
    std::function<int(Worker&)> run_worker = {};
    // For an error where there are no workers.
    std::string why_no_workers = "this program has no workers";
    Worker* self = nullptr;  // of the script of a worker
};

class Threads {
public:
    // Workers of one script that run at a time.
    static constexpr std::size_t worker_count_max = 256;

    Threads(Script& script, ThreadOptions options);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
