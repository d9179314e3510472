// SPDX-License-Identifier: Apache-2.0
// Files and folders that go when nobody needs them any more. Move-only; they belong to the loop
// where they were made. `aclose` removes, and waits for it; what is dropped is removed by a task of
// the root scope, which no cancel reaches. A name is one that nobody has and nobody can foresee.
//
//     fs::TemporaryFolder folder = co_await fs::temporary_folder();
//     co_await fs::write_file(fs::join(folder.path(), "a"), "text");
//     co_await folder.aclose();
#pragma once

#include <string>

#include "gyre/fs/file.hpp"
#include "gyre/task/executor.hpp"

namespace gyre::fs {

struct TemporaryOptions {
    std::string folder;  // where; empty: where the system wants such things
    std::string prefix = "gyre-";
};

// A name that is removed with its owner, with all that is below it.
class TemporaryFolder {
public:
    TemporaryFolder(Executor& executor, std::string path) noexcept
        : executor_(&executor), path_(std::move(path)) {}
    TemporaryFolder(TemporaryFolder&& other) noexcept
        : executor_(other.executor_), path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
    ~TemporaryFolder() { drop(); }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // It stays: whoever asks has to remove it.
    [[nodiscard]] std::string keep() noexcept { return std::exchange(path_, {}); }
    // Throws where it cannot be removed. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    void drop() noexcept;

    Executor* executor_;
    std::string path_;
};

// The same for one file, with the file, which is open for reading and writing.
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

// For its owner only. Cancel class of both: did nothing, or gives what it made. Two functions each,
// not a default: g++ 12 destroys that twice inside a co_await.
[[nodiscard]] Future<TemporaryFile> temporary_file();
[[nodiscard]] Future<TemporaryFile> temporary_file(TemporaryOptions options);
[[nodiscard]] Future<TemporaryFolder> temporary_folder();
[[nodiscard]] Future<TemporaryFolder> temporary_folder(TemporaryOptions options);

}  // namespace gyre::fs
