// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/folder.hpp"

#include "gyre/handle/phased_loop.hpp"
#include "gyre/io/detail/file_calls.hpp"

namespace gyre::handle {
namespace {

Status without_files() noexcept {
    return std::unexpected(Error(std::errc::function_not_supported));
}

}  // namespace

CallResult<Status> FolderList::start(std::string path, OnDone on_done, std::size_t count_max) {
    FileTree* tree = loop().platform().environment()->file_tree();
    if (tree == nullptr) return without_files();
    return begin(
        *this, [tree, path = std::move(path), count_max] { return tree->list(path, count_max); },
        std::move(on_done));
}

Folder::Folder(PhasedLoop& loop, const std::source_location& made_at) noexcept
    : WorkRequest(loop, {WorkKind::files, "folder"}, made_at) {}

Folder::~Folder() = default;

CallResult<Status> Folder::open(std::string path, OnDone on_done) {
    FileCalls* calls = loop().platform().environment()->file_calls();
    if (calls == nullptr) return without_files();
    const auto open_there = [this, calls, path = std::move(path)]() -> Result<Entries> {
        reader_.reset();
        auto opened = calls->open_folder(path);
        if (!opened) return std::unexpected(opened.error());
        reader_ = std::move(*opened);
        return Entries();
    };
    return begin(*this, open_there, std::move(on_done));
}

CallResult<Status> Folder::read(std::size_t count_max, OnDone on_done) {
    const auto read_there = [this, count_max]() -> Result<Entries> {
        if (reader_ == nullptr) return std::unexpected(Error(std::errc::bad_file_descriptor));
        return reader_->next(count_max);
    };
    return begin(*this, read_there, std::move(on_done));
}

void Folder::close() noexcept {
    GYRE_ASSERT(!is_active(), "close a Folder in its callback or later: it is being read");
    reader_.reset();
}

}  // namespace gyre::handle
