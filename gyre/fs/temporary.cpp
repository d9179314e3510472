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

std::string folder_for(const TemporaryOptions& options, FileTree& tree) {
    return options.folder.empty() ? tree.temporary_folder() : options.folder;
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

Future<TemporaryFile> temporary_file() {
    return temporary_file(TemporaryOptions());
}

Future<TemporaryFile> temporary_file(TemporaryOptions options) {
    const Task& self = co_await this_task();
    const auto make = [&options](FileTree& tree, const std::string& /*path*/) {
        constexpr std::uint32_t for_its_owner = 0600;
        return tree.make_file(folder_for(options, tree), options.prefix, for_its_owner);
    };
    const auto made = co_await call_tree<NewFile>("temporary_file", options.folder, make);
    co_return TemporaryFile(File(OpenDescriptor(platform_of(self), made.fd)),
                            TemporaryFolder(self.executor(), made.path));
}

Future<TemporaryFolder> temporary_folder() {
    return temporary_folder(TemporaryOptions());
}

Future<TemporaryFolder> temporary_folder(TemporaryOptions options) {
    const Task& self = co_await this_task();
    const auto make = [&options](FileTree& tree, const std::string& /*path*/) {
        return tree.make_unique_folder(folder_for(options, tree), options.prefix);
    };
    auto path = co_await call_tree<std::string>("temporary_folder", options.folder, make);
    co_return TemporaryFolder(self.executor(), std::move(path));
}

}  // namespace gyre::fs
