// SPDX-License-Identifier: Apache-2.0
// Directories as requests: FolderList (all entries at once, sorted, as uv_fs_scandir) and Folder (a
// directory that is opened and read a part at a time, as uv_fs_opendir and uv_fs_readdir).
//
//     Folder folder(loop);
//     folder.open("/var/log", [](Folder& opened, Result<Folder::Entries>&) {
//         opened.read(64, [](Folder&, Result<Folder::Entries>& some) { show(some); });
//     });
//
// Thread: any.
// Lifetime: as ActiveRequest; a Folder closes the directory when it is destroyed.
//
// Opening and reading are on a thread of the loop's Offload. The errors `function_not_supported`
// without one, or without a file system; `invalid_argument` while the request is active.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "gyre/handle/detail/work_request.hpp"
#include "gyre/io/file_tree.hpp"

namespace gyre {
class FolderReader;
}

namespace gyre::handle {

class FolderList final : public WorkRequest<std::vector<FolderEntry>> {
public:
    using OnDone = Callback<FolderList&, Result<std::vector<FolderEntry>>&>;
    static constexpr std::size_t count_max_default = 1'000'000;

    explicit FolderList(PhasedLoop& loop, const std::source_location& made_at =
                                              std::source_location::current()) noexcept
        : WorkRequest(loop, {WorkKind::files, "folder_list"}, made_at) {}
    // Sorted by name, without `.` and `..`. The error `value_too_large` if there are more entries.
    CallResult<Status> start(std::string path, OnDone on_done,
                             std::size_t count_max = count_max_default);
};

class Folder final : public WorkRequest<std::vector<FolderEntry>> {
public:
    using Entries = std::vector<FolderEntry>;
    using OnDone = Callback<Folder&, Result<Entries>&>;

    explicit Folder(PhasedLoop& loop,
                    const std::source_location& made_at = std::source_location::current()) noexcept;
    ~Folder();

    // The callback gets no entries. A directory that was open before is closed.
    CallResult<Status> open(std::string path, OnDone on_done);
    // The next entries, at most so many, in the order of the file system; none at the end. The error
    // `bad_file_descriptor` in the callback when it is not open.
    CallResult<Status> read(std::size_t count_max, OnDone on_done);
    // Not while it is active; without effect when it is not open.
    void close() noexcept;

private:
    std::unique_ptr<FolderReader> reader_;  // while the request is active, the Offload's thread's
};

}  // namespace gyre::handle
