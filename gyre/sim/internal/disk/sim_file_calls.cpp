// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/sim_file_calls.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/disk/files.hpp"
#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

// As st_mode of Linux has them.
constexpr std::uint32_t mode_of(FileKind kind) noexcept {
    switch (kind) {
        case FileKind::folder:
            return 0040000;
        case FileKind::link:
            return 0120000;
        default:
            return 0100000;
    }
}

FileDetails details_of(const Inode& node) noexcept {
    const FileStat found = node.stat();
    return {.whole_mode = mode_of(found.kind) | found.mode,
            .size_bytes = found.size_bytes,
            .link_count = found.link_count,
            .device = found.device,
            .number = found.number,
            .owner = node.owner,
            .group = node.group,
            .block_count = (found.size_bytes + 511) / 512,
            .accessed_ns = node.accessed_ns.value_or(found.modified_ns),
            .modified_ns = found.modified_ns,
            .changed_ns = found.modified_ns,
            .created_ns = found.modified_ns};
}

void set(Inode& node, FileTimes times) noexcept {
    node.accessed_ns = times.accessed_ns;
    node.modified_at =
        Instant(static_cast<std::uint64_t>(std::max<std::int64_t>(0, times.modified_ns)));
    node.tell(RawChange::Kind::attributes);
}

void set(Inode& node, FileOwner owner) noexcept {
    if (owner.owner != ~0u) node.owner = owner.owner;
    if (owner.group != ~0u) node.group = owner.group;
    node.tell(RawChange::Kind::attributes);
}

Result<Inode*> open_node(Files& files, Fd fd) {
    Descriptor* descriptor = files.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    const DirectoryEntry* name = descriptor->as_file();
    if (name == nullptr) return error(std::errc::invalid_argument);
    return name->node.get();
}

// The entries that were there when it was opened.
class SimFolderReader final : public FolderReader {
public:
    explicit SimFolderReader(std::vector<FolderEntry> entries) noexcept
        : entries_(std::move(entries)) {}

    [[nodiscard]] Result<std::vector<FolderEntry>> next(std::size_t count_max) override {
        const std::size_t count = std::min(count_max, entries_.size() - told_);
        const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(told_);
        told_ += count;
        return std::vector<FolderEntry>(first, first + static_cast<std::ptrdiff_t>(count));
    }

private:
    const std::vector<FolderEntry> entries_;
    std::size_t told_ = 0;
};

}  // namespace

// Unlike Files::open, it makes no missing directories: a program expects the error.
Result<Fd> SimFileCalls::open(const std::string& path, const OpenOptions& how, Links links) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find(path, links);
    if (!place) return std::unexpected(place.error());
    const bool is_link = place->node() != nullptr && place->node()->is_link();
    if (links == Links::themselves && is_link) {
        return error(std::errc::too_many_symbolic_link_levels);
    }
    const std::int32_t fd = files_.open(path, how);
    if (fd < 0) return std::unexpected(Error::of_result(fd));
    return fd;
}

Result<std::size_t> SimFileCalls::read_next(Fd /*fd*/, Bytes /*into*/) {
    return error(std::errc::function_not_supported);  // All files have offsets.
}

Result<std::size_t> SimFileCalls::write_next(Fd /*fd*/, ConstBytes /*from*/) {
    return error(std::errc::function_not_supported);
}

Result<void> SimFileCalls::sync(Fd fd) {
    const OutsideHost outside;
    const Result<Inode*> node = open_node(files_, fd);
    if (!node) return std::unexpected(node.error());
    const std::int32_t result = files_.context().descriptors.find(fd)->sync();
    if (result < 0) return std::unexpected(Error::of_result(result));
    return {};
}

Result<FileDetails> SimFileCalls::details_of_open(Fd fd) {
    const Result<Inode*> node = open_node(files_, fd);
    if (!node) return std::unexpected(node.error());
    return details_of(**node);
}

Result<void> SimFileCalls::set_times_of_open(Fd fd, FileTimes times) {
    const OutsideHost outside;
    const Result<Inode*> node = open_node(files_, fd);
    if (!node) return std::unexpected(node.error());
    set(**node, times);
    return {};
}

Result<void> SimFileCalls::set_owner_of_open(Fd fd, FileOwner owner) {
    const OutsideHost outside;
    const Result<Inode*> node = open_node(files_, fd);
    if (!node) return std::unexpected(node.error());
    set(**node, owner);
    return {};
}

bool SimFileCalls::can_crash() const noexcept {
    return files_.names().space().can_crash;
}

void* SimFileCalls::shared_of_open(Fd fd, MakeShared make) {
    const OutsideHost outside;
    const Result<Inode*> node = open_node(files_, fd);
    if (!node) return nullptr;
    std::shared_ptr<void> shared = (*node)->shared.lock();
    if (shared == nullptr) {
        shared = make();
        (*node)->shared = shared;
    }
    void* const found = shared.get();
    files_.context().descriptors.find(fd)->keep(std::move(shared));
    return found;
}

Result<FileDetails> SimFileCalls::details(const std::string& path, Links links) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, links);
    if (!place) return std::unexpected(place.error());
    return details_of(*place->node());
}

Result<void> SimFileCalls::check_access(const std::string& path, unsigned mode) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::followed);
    if (!place) return std::unexpected(place.error());
    const bool wants_run = (mode & 1u) != 0 && !place->node()->is_folder();
    if (wants_run && (place->node()->mode & 0111u) == 0) {
        return error(std::errc::permission_denied);
    }
    return {};
}

Result<void> SimFileCalls::set_mode(const std::string& path, std::uint32_t mode) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::followed);
    if (!place) return std::unexpected(place.error());
    place->node()->mode = mode & permissions;
    place->node()->tell(RawChange::Kind::attributes);
    return {};
}

Result<void> SimFileCalls::set_owner(const std::string& path, FileOwner owner, Links links) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, links);
    if (!place) return std::unexpected(place.error());
    set(*place->node(), owner);
    return {};
}

Result<void> SimFileCalls::set_times(const std::string& path, FileTimes times, Links links) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, links);
    if (!place) return std::unexpected(place.error());
    set(*place->node(), times);
    return {};
}

Result<void> SimFileCalls::remove_file(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (place->node()->is_folder()) return error(std::errc::is_a_directory);
    return tree_.remove(path);
}

Result<void> SimFileCalls::remove_folder(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (!place->node()->is_folder()) return error(std::errc::not_a_directory);
    return tree_.remove(path);
}

Result<std::unique_ptr<FolderReader>> SimFileCalls::open_folder(const std::string& path) {
    Result<std::vector<FolderEntry>> entries =
        tree_.list(path, std::numeric_limits<std::size_t>::max(), Links::followed);
    if (!entries) return std::unexpected(entries.error());
    return std::make_unique<SimFolderReader>(std::move(*entries));
}

}  // namespace gyre::sim
