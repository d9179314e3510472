// SPDX-License-Identifier: Apache-2.0
// Environment: the interfaces of a platform besides the ops: sockets, files and child processes; and
// the memory that the process may use.
//
//     Environment& environment = *loop.platform().environment();
//     Result<Fd> listener = environment.sockets().listen(Address::loopback(8080), {});
//
// Thread: the loop's thread; the interfaces it returns have their own thread rules.
// Lifetime: part of a Platform.
#pragma once

#include <cstdint>

namespace gyre {

class Children;
class FileCalls;
class FileTree;
class HostCalls;
class Sockets;

class Environment {
public:
    // Creates and describes the descriptors that ops work on.
    [[nodiscard]] virtual Sockets& sockets() noexcept = 0;
    // Names, directories and links. Null if there is no file system.
    [[nodiscard]] virtual FileTree* file_tree() noexcept { return nullptr; }
    // The system's own file calls. Null if there is no file system.
    [[nodiscard]] virtual FileCalls* file_calls() noexcept { return nullptr; }
    // Names of hosts, random bytes, datagrams in batches. Null if the platform has none.
    [[nodiscard]] virtual HostCalls* host_calls() noexcept { return nullptr; }
    // Child processes. Null if the platform cannot start any.
    [[nodiscard]] virtual Children* children() noexcept { return nullptr; }
    // The least of the machine's memory and the limits of the process and its control groups.
    // Queries the system each time.
    [[nodiscard]] virtual std::uint64_t memory_bytes() = 0;

protected:
    ~Environment() = default;
};

}  // namespace gyre
