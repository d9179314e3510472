// SPDX-License-Identifier: Apache-2.0
// Platform: the machine that talks to the operating system, or to a simulation of it. It serves the
// ops of gyre/io, and its wait is the one blocking call of a loop.
//
//     auto platform = platform::make_platform(clock).value();
//     Loop loop(*platform, app);
//
// Thread: its loop's thread; only `wake` may be called from any thread.
// Lifetime: outlives the loop and the app machine.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre {

class Environment;

// Can say in a line what its loop's thread is doing. Asked in a signal handler on that thread, so
// it may read and copy, and nothing else. Gives how much it wrote.
class Watched {
public:
    [[nodiscard]] virtual std::size_t describe_now(std::span<char> into) const noexcept = 0;

protected:
    ~Watched() = default;
};

class Platform : public Machine {
public:
    explicit Platform(const char* name) noexcept : Machine(name) {}

    // Blocks until something happened outside, the deadline has come, or a wake; completes the ops
    // that are done; returns the time. With a deadline that is not in the future it only peeks, and
    // may leave out the peek if the last one was a moment ago. A wait may end early for no reason.
    // Where time is simulated it returns `never` when nothing can ever happen any more.
    [[nodiscard]] virtual Instant wait(Instant deadline) noexcept = 0;

    // Tells the system all that it has taken and kept to itself, before a loop looks around for
    // posts, or its thread waits for backend_fd.
    virtual void flush() noexcept {}

    // Ends the wait under way, or else the next one.
    virtual void wake() noexcept = 0;

    [[nodiscard]] virtual Instant now() noexcept = 0;

    // Whether its time is simulated: then nothing outside can be worth waiting a moment for.
    [[nodiscard]] virtual bool is_simulated() const noexcept { return false; }

    // A descriptor that polls readable when a wait would find something, so that a loop can be
    // waited for in another one; -1 where there is none.
    [[nodiscard]] virtual int backend_fd() const noexcept { return -1; }

    // From the loop's thread. From now on, when this thread stays away from the wait for that long,
    // the log says so, with what `who` says and a backtrace. Null: no longer. Without effect where
    // time is simulated.
    virtual void watch_for_blocking(const Watched* /*who*/, Duration /*after*/) {}

    // The interfaces to sockets, files and processes (gyre/io/environment.hpp); null where the
    // platform serves none.
    [[nodiscard]] virtual Environment* environment() noexcept { return nullptr; }

    // What a kind of op is called in messages to people.
    [[nodiscard]] virtual const char* name_of(OpCode code) const noexcept {
        return gyre::name_of(code);
    }
};

}  // namespace gyre
