// SPDX-License-Identifier: Apache-2.0
// Files: the effect voyd.std.fs, inside the folders that a module may use. The scheduler's thread; it outlives the
// handlers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gyre/effect/handlers.hpp"
#include "gyre/io/permissions.hpp"

namespace gyre::wasm {

class Files {
public:
    // Folders as absolute paths; a module reaches nothing outside of them.
    explicit Files(std::vector<std::string> folders);

    using Op = Future<effect::Answer> (Files::*)(effect::Arguments);
    // Null: no op of that name.
    [[nodiscard]] static Op find(std::string_view name) noexcept;

private:
    using Answer = effect::Answer;
    using Arguments = effect::Arguments;

    // Throws a SystemFailure (permission_denied) for a path outside of the folders, also through links.
    Future<std::string> resolve(std::string path) const;

    Future<Answer> read_bytes(Arguments arguments);
    Future<Answer> read_string(Arguments arguments);
    Future<Answer> write_bytes(Arguments arguments);
    Future<Answer> write_string(Arguments arguments);
    Future<Answer> write_atomic(Arguments arguments);
    Future<Answer> create_exclusive(Arguments arguments);
    Future<Answer> exists(Arguments arguments);
    Future<Answer> list_dir(Arguments arguments);
    Future<Answer> remove(Arguments arguments);
    Future<Answer> create_dir_all(Arguments arguments);
    Future<Answer> rename(Arguments arguments);

    Permissions permissions_;
};

}  // namespace gyre::wasm
