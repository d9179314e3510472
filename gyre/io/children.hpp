// SPDX-License-Identifier: Apache-2.0
// Children: starts child processes and watches for their exit: a descriptor that becomes readable
// when the child exits, and its exit status.
//
//     Children* children = loop.platform().environment()->children();
//
// Thread: any. `spawn` blocks until the child has called exec, `run_blocking` until it has ended: call
// them on a thread of the Offload, or where the loop may stand still. The other functions do not block.
// Lifetime: part of a Platform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre {

// How a process ended: by exit, or by a signal (then `code` is 0).
struct ChildEnd {
    int code = 0;
    int signal = 0;
};

// The source or target of a child's standard input, output or error.
enum class StandardStream : std::uint8_t {
    inherited,  // the parent's
    nothing,    // reads end of file; output is discarded
    pipe,       // a pipe, whose other end the parent gets
    to_output,  // for standard error: the same as standard output
};

// A descriptor of the child: the parent's `source` under another number, which may be any. -1 closes
// the number.
struct ChildDescriptor {
    int number = -1;
    Fd source = -1;
};

struct SpawnPlan {
    std::string program = {};  // searched in PATH if it contains no slash
    std::vector<std::string> arguments = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
    bool inherits_environment = true;  // `environment` overrides inherited variables
    std::string folder = {};           // the working directory; empty: the parent's
    std::array<StandardStream, 3> streams = {};
    bool has_own_group = false;  // a process group, to signal it and its descendants
    bool has_own_session = false;
    // The child's descriptors besides the streams, which these override. At most
    // `descriptor_count_max`.
    std::vector<ChildDescriptor> descriptors = {};
    // The identity of the child; needs the privilege to change it.
    std::optional<std::uint32_t> user = {};
    std::optional<std::uint32_t> group = {};
    std::string own_name = {};  // the child's argv[0]; empty: the program

    static constexpr int descriptor_count_max = 1024;
};

struct SpawnedChild {
    int pid = 0;
    Fd process = -1;                         // a descriptor, readable once the child has exited
    std::array<Fd, 3> pipes = {-1, -1, -1};  // the parent's ends; all belong to the caller
};

// The limits of a child that is run to its end; beyond one of them it gets `signal`, and its output
// is read no further.
struct ChildLimits {
    Duration time_max = Duration::max();
    std::size_t output_max_bytes = std::size_t{16} << 20u;  // of each of the two outputs
    int signal = 9;
    // Asked ten times a second where it is set; true kills the child.
    std::function<bool()> gives_up = {};
};

enum class ChildLimit : std::uint8_t { none, time, output, given_up };

struct ChildReport {
    int pid = 0;
    ChildEnd end = {};
    std::string output = {};  // of the streams that are pipes
    std::string error = {};
    ChildLimit passed = ChildLimit::none;
};

class Children {
public:
    virtual ~Children() = default;

    // If the program cannot be run, returns the error and releases all resources. The child
    // inherits no descriptors but its three standard streams and those of the plan, and no blocked
    // or ignored signals.
    [[nodiscard]] virtual Result<SpawnedChild> spawn(const SpawnPlan& plan) = 0;
    // Signals a child that has not been reaped, or its whole process group if it has its own.
    [[nodiscard]] virtual Result<void> signal(int pid, int number, bool to_group) = 0;

    // Spawns the child, writes `input` to its standard input and reads its outputs, where these are
    // pipes, and waits until it has ended and both outputs are closed.
    [[nodiscard]] virtual Result<ChildReport> run_blocking(const SpawnPlan& /*plan*/,
                                                           ConstBytes /*input*/,
                                                           const ChildLimits& /*limits*/) {
        return std::unexpected(Error(std::errc::function_not_supported));
    }
    // Two connected sockets, for a stream of a child: the first never blocks and is the parent's, the
    // second blocks, as programs expect of their streams. Both belong to the caller.
    [[nodiscard]] virtual Result<std::array<Fd, 2>> stream_pair() {
        return std::unexpected(Error(std::errc::function_not_supported));
    }
    // Prepares a socket that this process was started with for the ops of its platform.
    [[nodiscard]] virtual Result<void> take_inherited(Fd /*socket*/) {
        return std::unexpected(Error(std::errc::function_not_supported));
    }
    // A descriptor that is readable once the child has exited; belongs to the caller.
    [[nodiscard]] virtual Result<Fd> watch(int pid) = 0;
    // Reaps the child: returns its exit status, once. `resource_unavailable_try_again` while it
    // runs.
    [[nodiscard]] virtual Result<ChildEnd> reap(int pid) = 0;
};

}  // namespace gyre
