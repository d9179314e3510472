// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/temporary.hpp"

#include "gyre/base/log.hpp"
#include "gyre/fs/internal/tree_call.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::fs {
namespace {

// No task waits for the result, so failures are logged.
Future<void> remove_left_behind(std::string path) {
    const Result<bool> removed = co_await try_(remove_tree(path));
    if (removed) co_return;
    log(LogLevel::warn, "the temporary '%s' cannot be removed: %s", path.c_str(),
        removed.error().message().c_str());
}

Future<void> remove_now(std::string path) {
    if (!path.empty()) (void)co_await remove_tree(std::move(path));
}

std::string folder_or_default(const std::string& folder, FileTree& tree) {
    return folder.empty() ? tree.temporary_folder() : folder;
}

Future<TemporaryFile> new_file(std::string folder, std::string prefix) {
    const Task& self = co_await this_task();
    const auto make = [&prefix](FileTree& tree, const std::string& given) {
        constexpr std::uint32_t for_its_owner = 0600;
        return tree.make_file(folder_or_default(given, tree), prefix, for_its_owner);
    };
    const auto made = co_await call_tree<NewFile>("temporary_file", folder, make);
    co_return TemporaryFile(File(OpenDescriptor(platform_of(self), made.fd), made.path),
                            TemporaryFolder(self.executor(), made.path));
}

Future<TemporaryFolder> new_folder(std::string folder, std::string prefix) {
    const Task& self = co_await this_task();
    const auto make = [&prefix](FileTree& tree, const std::string& given) {
        return tree.make_unique_folder(folder_or_default(given, tree), prefix);
    };
    auto path = co_await call_tree<std::string>("temporary_folder", folder, make);
    co_return TemporaryFolder(self.executor(), std::move(path));
}

}  // namespace

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    if (this == &other) return *this;
    drop();
    executor_ = other.executor_;
    path_ = std::exchange(other.path_, {});
    return *this;
}

void TemporaryFolder::drop() noexcept {
    if (path_.empty()) return;
    if (!executor_->is_attached()) return;  // The loop is closed: it cannot be removed.
    executor_->root().spawn_clean_up(remove_left_behind(std::exchange(path_, {})));
}

Future<void> TemporaryFolder::aclose() {
    co_await shield(remove_now(std::exchange(path_, {})));
}

Future<void> TemporaryFile::aclose() {
    co_await file.aclose();
    co_await name_.aclose();
}

Future<TemporaryFile> temporary_file(TemporaryOptions options) {
    return new_file(std::string(options.folder), std::string(options.prefix));
}

Future<TemporaryFolder> temporary_folder(TemporaryOptions options) {
    return new_folder(std::string(options.folder), std::string(options.prefix));
}

}  // namespace gyre::fs
