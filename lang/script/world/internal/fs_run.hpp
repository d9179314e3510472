// SPDX-License-Identifier: Apache-2.0
// FsRun: how each verb of an FsCall runs. fs_call.cpp has names and folders, fs_contents.cpp what
// is in files. On the thread that runs the call, and only while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "lang/script/world/internal/fs_call.hpp"

namespace gyre::script {

// What fails leaves as this.
struct FsFailed {
    Error error;
};

template <class T>
T fs_checked(Result<T> result) {
    if (!result) throw FsFailed{result.error()};
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

inline bool is_folder(std::uint32_t whole_mode) {
    return (whole_mode & 0170000u) == 0040000u;
}

// The calls of one FsCall; each member is a verb.
class FsRun {
public:
    FsRun(FsCall& call, FileTree& tree, FileCalls& calls)
        : call_(call), tree_(tree), calls_(calls) {}

    void confine();
    void run();

private:
    [[nodiscard]] std::shared_ptr<OpenFile> open(unsigned flags, double mode);
    [[nodiscard]] std::size_t read_part(OpenFile& file, Bytes into, std::uint64_t offset);
    [[nodiscard]] std::size_t write_all(OpenFile& file, ConstBytes from, std::uint64_t offset);
    void read();
    void write();
    void make_folders();
    void copy();
    [[nodiscard]] char letter_of(const FolderEntry& entry);
    void list();
    void read_file();
    void write_file();
    void remove_tree();
    void run_on_names();
    void run_on_open();
    [[nodiscard]] Links links(double follows_not) const {
        return follows_not == 1 ? Links::themselves : Links::followed;
    }
    [[nodiscard]] OpenFile& file() const {
        if (call_.file == nullptr) throw FsFailed{Error(std::errc::bad_file_descriptor)};
        return *call_.file;
    }

    FsCall& call_;
    FileTree& tree_;
    FileCalls& calls_;
};

}  // namespace gyre::script
