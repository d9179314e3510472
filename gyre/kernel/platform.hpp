// SPDX-License-Identifier: Apache-2.0
// Platform: the machine that talks to the outside. It serves the ops of io_ops.hpp, and its wait is
// the one blocking call of a loop. Belongs to one loop and its thread; only `wake` may be called
// from any thread. It outlives the loop and the app machine.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre {

class Children;
class FileTree;
class Sockets;

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

    // Makes and describes the descriptors that the ops work on.
    [[nodiscard]] virtual Sockets& sockets() noexcept = 0;
    // Names, folders and links; the processes that this one starts. Null where there are none.
    [[nodiscard]] virtual FileTree* file_tree() noexcept { return nullptr; }
    [[nodiscard]] virtual Children* children() noexcept { return nullptr; }
};

}  // namespace gyre
