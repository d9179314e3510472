// SPDX-License-Identifier: Apache-2.0
// Cancels a small program at every step it takes, and looks whether it leaves anything behind. The
// program is one task, the victim, with helpers beside it, in virtual time. The executor resumes
// one task a turn, so that the turns between its spawn and its end are all the points at which
// somebody else could cancel it: while it waits, and while it is woken and not yet resumed. Each of
// them gets a run of its own; then each pair, for a second request that meets the clean-up of the
// first.
//
// What must hold in every run: the victim ends, once, with its value or as cancelled; so do its
// helpers; no frame, op or descriptor is left; what the program asks `afterwards` is true.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::task_cancel {

// Where a program runs; gone with its run.
class Stage {
public:
    Stage();
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // A task that nobody cancels. It must end whatever becomes of the victim.
    template <class F>
    void helper(F body) {
        executor.root().spawn(std::move(body));
    }
    // Keeps a thing for as long as the stage, so that what the victim shares outlives it.
    template <class T, class... Args>
    T& make(Args&&... args) {
        auto kept = std::make_shared<T>(std::forward<Args>(args)...);
        kept_.push_back(kept);
        return *kept;
    }
    // What must be true when all tasks have ended.
    void afterwards(std::function<void()> check) { checks_.push_back(std::move(check)); }

    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Executor executor;
    Loop loop;

private:
    friend class Rehearsal;
    std::vector<std::function<void()>> checks_;
    std::vector<std::shared_ptr<void>> kept_;
};

struct Program {
    const char* name;
    std::vector<std::string> covers;  // public names of the modules that it awaits
    Future<void> (*body)(Stage& stage);
};

// Every program there is, and the parts of the table: rows.cpp and those named like it.
const std::vector<Program>& programs();
std::vector<Program> basic_rows();
std::vector<Program> combinator_rows();
std::vector<Program> net_rows();
std::vector<Program> stream_rows();
std::vector<Program> thread_rows();
std::vector<Program> file_rows();
std::vector<Program> process_rows();
std::vector<Program> actor_rows();
std::vector<Program> tls_rows();  // where gyre/tls was built
std::vector<Program> db_rows();   // where gyre/db was built, with SQLite

// Steps before which the victim is cancelled; none: it runs undisturbed.
struct Requests {
    std::optional<int> first = std::nullopt;
    std::optional<int> second = std::nullopt;
};

// One run, with its checks. Gives how many steps it took until everything had ended.
int rehearse(const Program& program, Requests requests);

}  // namespace gyre::task_cancel
