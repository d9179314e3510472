// SPDX-License-Identifier: Apache-2.0
// Environment: the interfaces of a platform to the system around it, besides the ops: sockets,
// files and child processes.
//
//     Environment& environment = *loop.platform().environment();
//     Result<Fd> listener = environment.sockets().listen(Address::loopback(8080), {});
//
// Thread: the loop's thread; what it returns has a thread rule of its own.
// Lifetime: part of a Platform.
#pragma once

namespace gyre {

class Children;
class FileTree;
class Sockets;

class Environment {
public:
    // Makes and describes the descriptors that ops work on.
    [[nodiscard]] virtual Sockets& sockets() noexcept = 0;
    // Names, directories and links. Null where there is no file system.
    [[nodiscard]] virtual FileTree* file_tree() noexcept { return nullptr; }
    // The processes that this one starts. Null where it cannot.
    [[nodiscard]] virtual Children* children() noexcept { return nullptr; }

protected:
    ~Environment() = default;
};

}  // namespace gyre
