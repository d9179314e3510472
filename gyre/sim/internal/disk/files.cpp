// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/files.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

constexpr auto offset_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::uint32_t put_mode = 0644;

class OpenFile : public Descriptor {
public:
    OpenFile(FileNames& names, std::shared_ptr<DirectoryEntry> name, OpenOptions options) noexcept
        : names_(names), name_(std::move(name)), options_(options) {}

    [[nodiscard]] Events events() const noexcept override {
        return Events::readable | Events::writable;
    }

    [[nodiscard]] std::int32_t read(Bytes into, std::uint64_t offset) override {
        if (offset > offset_max) return failure(std::errc::invalid_argument);
        if (!options_.read) return failure(std::errc::bad_file_descriptor);
        if (strikes(disk().read_error_one_in)) return failure(std::errc::io_error);
        const std::size_t size = part_of(std::min(into.size(), transfer_bytes_max));
        return static_cast<std::int32_t>(data().read(into.first(size), offset));
    }

    [[nodiscard]] std::int32_t write(ConstBytes from, std::uint64_t offset) override {
        if (options_.append) offset = data().size_bytes();
        if (offset > offset_max) return failure(std::errc::invalid_argument);
        if (!options_.write) return failure(std::errc::bad_file_descriptor);
        if (from.empty()) return 0;
        const std::uint64_t room = offset_max - offset;
        if (room == 0) return failure(std::errc::file_too_large);
        if (!names_.context().take_change()) return failure(std::errc::io_error);
        if (disk().is_full) return failure(std::errc::no_space_on_device);
        if (strikes(disk().write_error_one_in)) return failure(std::errc::io_error);
        const std::size_t size = part_of(std::min({from.size(), transfer_bytes_max, room}));
        const std::size_t written = data().write(from.first(size), offset);
        if (written == 0) return failure(std::errc::no_space_on_device);
        names_.note_written(*name_);
        return static_cast<std::int32_t>(written);
    }

    [[nodiscard]] std::int32_t sync() override {
        if (!names_.context().take_change()) return failure(std::errc::io_error);
        if (strikes(disk().sync_error_one_in)) {
            data().forget_unsynced();
            return failure(std::errc::io_error);
        }
        data().sync();
        return 0;
    }

    [[nodiscard]] std::int32_t resize(std::uint64_t size_bytes) override {
        if (size_bytes > offset_max || !options_.write) return failure(std::errc::invalid_argument);
        if (!names_.context().take_change()) return failure(std::errc::io_error);
        data().resize(size_bytes);
        names_.note_written(*name_);
        return 0;
    }

    [[nodiscard]] DirectoryEntry* as_file() noexcept override { return name_.get(); }

private:
    [[nodiscard]] FileData& data() noexcept { return name_->node->data; }
    [[nodiscard]] const DiskFaults& disk() const noexcept { return names_.context().disk; }
    [[nodiscard]] bool strikes(std::uint64_t one_in) { return names_.context().strikes(one_in); }
    [[nodiscard]] std::size_t part_of(std::size_t size) {
        return size > 1 && strikes(disk().short_one_in)
                   ? 1 + names_.context().random.below(size - 1)
                   : size;
    }

    FileNames& names_;
    const std::shared_ptr<DirectoryEntry> name_;
    const OpenOptions options_;
};

}  // namespace

std::int32_t Files::open(const std::string& path, OpenOptions options) {
    if (!options.read && !options.write) return failure(std::errc::invalid_argument);
    if (options.create && path.ends_with('/')) return failure(std::errc::is_a_directory);
    // Checked first: an open that fails must not create the file.
    if (!context_.descriptors.has_room()) return failure(std::errc::too_many_files_open);
    const bool must_be_new = options.create && options.exclusive;
    const Links links = must_be_new ? Links::themselves : Links::followed;
    const Result<ResolvedPath> place =
        options.create ? names_.find(path, links, Missing::made) : names_.find_present(path, links);
    if (!place) return place.error().as_result();
    if (place->node() != nullptr && must_be_new) return failure(std::errc::file_exists);
    if (place->node() != nullptr && place->node()->is_folder()) {
        return failure(std::errc::is_a_directory);
    }
    std::shared_ptr<DirectoryEntry> name = place->name;
    const bool is_change = name == nullptr || options.truncate;
    if (is_change && !context_.take_change()) return failure(std::errc::io_error);
    if (name == nullptr) {
        name = names_.make(*place, FileKind::file, options.mode & permissions);
    } else if (options.truncate) {
        name->node->data.resize(0);
        names_.note_written(*name);
    }
    return *context_.descriptors.add(std::make_unique<OpenFile>(names_, std::move(name), options));
}

void Files::put(const std::string& path, std::string_view content) {
    const Result<ResolvedPath> place = names_.find(path, Links::followed, Missing::made);
    GYRE_ASSERT(place.has_value() && !place->text.empty(), "no file can be put at '%s'",
                path.c_str());
    std::shared_ptr<DirectoryEntry> name = place->name;
    if (name == nullptr) name = names_.make(*place, FileKind::file, put_mode);
    name->node->data.resize(0);
    const std::size_t written = name->node->data.write(bytes_of(content), 0);
    GYRE_ASSERT(written == content.size(),
                "the simulated disk is full: raise files_size_max_bytes");
    names_.note_written(*name);
}

std::optional<std::string> Files::get(std::string_view path) {
    const Result<ResolvedPath> place = names_.find_present(path, Links::followed);
    if (!place || place->name == nullptr || place->node()->is_folder()) return std::nullopt;
    const FileData& data = place->node()->data;
    std::string content(static_cast<std::size_t>(data.size_bytes()), '\0');
    data.read(std::as_writable_bytes(std::span(content)), 0);
    return content;
}

bool Files::rot(std::string_view path) {
    const Result<ResolvedPath> place = names_.find_present(path, Links::followed);
    if (!place || place->name == nullptr || place->node()->is_folder()) return false;
    return place->node()->data.rot(context_.random);
}

bool Files::remove(std::string_view path) {
    Result<ResolvedPath> place = names_.find_present(path, Links::themselves);
    if (!place || place->name == nullptr || place->node()->is_folder()) return false;
    names_.remove(std::move(place->name));
    return true;
}

}  // namespace gyre::sim
