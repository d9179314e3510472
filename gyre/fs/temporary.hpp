// SPDX-License-Identifier: Apache-2.0
// TemporaryFile, TemporaryFolder: a file or a directory that is removed with its owner. The names
// are random, so that nobody can create them first. Move-only.
//
//     fs::TemporaryFolder folder = co_await fs::temporary_folder();
//     co_await fs::write_file(fs::join(folder.path(), "a"), "text");
//     co_await folder.aclose();
//
// Thread: the thread of the loop where it was made.
// Lifetime: `aclose` removes and waits; the destructor leaves the removal to a task of the root
// scope, which is not cancelled.
#pragma once

#include <string>
#include <string_view>

#include "gyre/fs/file.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre::fs {

// Both are copied.
struct TemporaryOptions {
    std::string_view folder = "";  // the parent; empty: the system's, for temporary files
    std::string_view prefix = "gyre-";
};

// The directory is removed with everything below it.
class TemporaryFolder {
public:
    TemporaryFolder(Executor& executor, std::string path) noexcept
        : executor_(&executor), path_(std::move(path)) {}
    TemporaryFolder(TemporaryFolder&& other) noexcept
        : executor_(other.executor_), path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    ~TemporaryFolder() { drop(); }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // The path is not removed any more: the caller owns it.
    [[nodiscard]] std::string keep() noexcept { return std::exchange(path_, {}); }
    // Throws if it cannot be removed. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    void drop() noexcept;

    Executor* executor_;
    std::string path_;
};

// A file, open for reading and writing, that is removed with its owner.
class TemporaryFile {
public:
    TemporaryFile(File opened, TemporaryFolder name) noexcept
        : file(std::move(opened)), name_(std::move(name)) {}

    [[nodiscard]] const std::string& path() const noexcept { return name_.path(); }
    [[nodiscard]] std::string keep() noexcept { return name_.keep(); }
    // Closes and removes it. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

    File file;

private:
    TemporaryFolder name_;
};

// Accessible to the current user only. Cancel class: did nothing, or did all.
[[nodiscard]] Future<TemporaryFile> temporary_file(TemporaryOptions options = {});
[[nodiscard]] Future<TemporaryFolder> temporary_folder(TemporaryOptions options = {});

}  // namespace gyre::fs
