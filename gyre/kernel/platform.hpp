// SPDX-License-Identifier: Apache-2.0
// Platform: the machine that talks to the operating system, or to a simulation of it. It serves the
// ops of gyre/io, and its wait is the only blocking call of a loop.
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

// Describes in one line what its loop's thread is doing. Called in a signal handler on that thread,
// so it may only read and copy memory. Returns the number of bytes written.
class Watched {
public:
    [[nodiscard]] virtual std::size_t describe_now(std::span<char> into) const noexcept = 0;
    // An address that is the same whenever the thread is at the same place of the program; null if
    // it is not known. Called as describe_now is.
    [[nodiscard]] virtual const void* place_now() const noexcept { return nullptr; }

protected:
    ~Watched() = default;
};

class Platform : public Machine {
public:
    explicit Platform(const char* name) noexcept : Machine(name) {}

    // Blocks until an external event, the deadline or a wake; completes the ops that are done;
    // returns the time. If the deadline is not in the future, it only polls, and may skip the poll
    // if the last one was a moment ago. Spurious returns are allowed. In simulated time it returns
    // `never` if no event is left.
    [[nodiscard]] virtual Instant wait(Instant deadline) noexcept = 0;

    // Submits all requests that are batched in user space, before the loop spins on its inbox or
    // its thread polls backend_fd.
    virtual void flush() noexcept {}

    // Ends the wait in progress, or else the next one.
    virtual void wake() noexcept = 0;

    [[nodiscard]] virtual Instant now() noexcept = 0;

    // Whether its time is simulated: then no external event can come, and spinning for one is
    // useless.
    [[nodiscard]] virtual bool is_simulated() const noexcept { return false; }

    // A descriptor that polls readable when a wait would return an event, so that this loop can be
    // embedded in another one; -1 if there is none.
    [[nodiscard]] virtual int backend_fd() const noexcept { return -1; }

    // From now on a wait that may block does so with this signal blocked, which costs it two more
    // system calls. The error `function_not_supported` if there are no signals.
    [[nodiscard]] virtual Result<void> block_in_wait(int /*signal_number*/) noexcept {
        return std::unexpected(Error(std::errc::function_not_supported));
    }

    // In the child of a fork(): replaces all that the child shares with its parent, and starts the
    // requests of the ops it holds anew; file ops in flight complete as cancelled. Other loops of
    // the parent stay as they are, and must not be used. An error of the system leaves the platform
    // unusable.
    [[nodiscard]] virtual Result<void> renew_after_fork() noexcept { return {}; }

    // Called on the loop's thread. From now on, if this thread does not return to the wait for
    // `after`, the log reports it, with the line of `who` and a backtrace, once for each place of
    // `who`. Null switches it off. No effect if time is simulated.
    virtual void watch_for_blocking(const Watched* /*who*/, Duration /*after*/) {}

    // The interfaces to sockets, files and processes (gyre/io/environment.hpp); null if the
    // platform has none.
    [[nodiscard]] virtual Environment* environment() noexcept { return nullptr; }

    // The name of an op's kind, for messages to people.
    [[nodiscard]] virtual const char* name_of(OpCode code) const noexcept {
        return gyre::name_of(code);
    }
};

}  // namespace gyre
