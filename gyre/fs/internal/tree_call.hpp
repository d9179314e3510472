// SPDX-License-Identifier: Apache-2.0
// Calls of the platform's FileTree on a file thread of the Offload. Cancel class: did nothing
// before the call has started; a started call is awaited and did all.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "gyre/fs/file.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::fs {

// The platform of the loop that runs this task.
inline Platform& platform_of(const Task& task) noexcept {
    return task.executor().loop().platform();
}

// The result of `call(tree, path)`, or the error of the Offload (see blocking.hpp).
template <class T, class Call>
Future<Result<T>> try_tree(std::string path, Call call) {
    const Task& self = co_await this_task();
    FileTree* const tree = platform_of(self).environment()->file_tree();
    if (tree == nullptr) co_return std::unexpected(Error(std::errc::function_not_supported));
    const auto work = [tree, &path, &call] { return call(*tree, path); };
    std::errc refused{};
    try {
        co_return co_await blocking(work, WorkKind::files);
    } catch (const std::system_error& e) {
        refused = static_cast<std::errc>(e.code().value());
    }
    co_return std::unexpected(Error(refused));
}

// The same, but throws a FileError.
template <class T, class Call>
Future<T> call_tree(const char* verb, std::string path, Call call) {
    Result<T> given = co_await try_tree<T>(path, std::move(call));
    if (!given) throw FileError(verb, path, given.error());
    if constexpr (!std::is_void_v<T>) co_return std::move(*given);
}

}  // namespace gyre::fs
