// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/files.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

constexpr auto offset_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::size_t path_bytes_max = 4095;
constexpr std::size_t name_bytes_max = 255;

class OpenFile : public Descriptor {
public:
    OpenFile(std::shared_ptr<FileData> data, OpenOptions options) noexcept
        : data_(std::move(data)), options_(options) {}

    [[nodiscard]] Events events() const noexcept override {
        return Events::readable | Events::writable;
    }

    [[nodiscard]] std::int32_t read(Bytes into, std::uint64_t offset) override {
        if (offset > offset_max) return failure(std::errc::invalid_argument);
        if (!options_.read) return failure(std::errc::bad_file_descriptor);
        const std::size_t size = std::min(into.size(), transfer_bytes_max);
        return static_cast<std::int32_t>(data_->read(into.first(size), offset));
    }

    [[nodiscard]] std::int32_t write(ConstBytes from, std::uint64_t offset) override {
        if (options_.append) offset = data_->size_bytes();
        if (offset > offset_max) return failure(std::errc::invalid_argument);
        if (!options_.write) return failure(std::errc::bad_file_descriptor);
        if (from.empty()) return 0;
        const std::uint64_t room = offset_max - offset;
        if (room == 0) return failure(std::errc::file_too_large);
        const std::size_t size = std::min({from.size(), transfer_bytes_max, room});
        const std::size_t written = data_->write(from.first(size), offset);
        if (written == 0) return failure(std::errc::no_space_on_device);
        return static_cast<std::int32_t>(written);
    }

    [[nodiscard]] std::int32_t sync() override { return 0; }
    [[nodiscard]] FileData* as_file() noexcept override { return data_.get(); }

private:
    std::shared_ptr<FileData> data_;
    const OpenOptions options_;
};

bool has_long_name(std::string_view path) noexcept {
    if (path.size() > path_bytes_max) return true;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end > name_bytes_max) return true;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

}  // namespace

std::size_t FileData::read(Bytes into, std::uint64_t offset) const {
    if (offset >= size_) return 0;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset));
    for (std::size_t done = 0; done < count;) {
        const std::uint64_t at = offset + done;
        const auto start = static_cast<std::size_t>(at % page_bytes);
        const Bytes part = into.subspan(done, std::min(count - done, page_bytes - start));
        const auto page = pages_.find(at / page_bytes);
        if (page == pages_.end()) {
            std::fill(part.begin(), part.end(), std::byte{0});
        } else {
            std::copy_n(page->second->begin() + static_cast<std::ptrdiff_t>(start), part.size(),
                        part.begin());
        }
        done += part.size();
    }
    return count;
}

std::size_t FileData::write(ConstBytes from, std::uint64_t offset) {
    std::size_t done = 0;
    while (done < from.size()) {
        const std::uint64_t at = offset + done;
        const auto start = static_cast<std::size_t>(at % page_bytes);
        const ConstBytes part =
            from.subspan(done, std::min(from.size() - done, page_bytes - start));
        std::unique_ptr<Page>& page = pages_[at / page_bytes];
        if (page == nullptr) {
            if (space_.free_bytes < page_bytes) {
                pages_.erase(at / page_bytes);
                break;
            }
            space_.free_bytes -= page_bytes;
            page = std::make_unique<Page>();
        }
        std::copy(part.begin(), part.end(), page->begin() + static_cast<std::ptrdiff_t>(start));
        done += part.size();
    }
    if (done > 0) size_ = std::max(size_, offset + done);
    return done;
}

// Pages beyond the end go, and the rest of the last one is zeros again.
void FileData::resize(std::uint64_t size_bytes) noexcept {
    const std::uint64_t rest = size_bytes % page_bytes;
    const auto first_gone = pages_.lower_bound(size_bytes / page_bytes + (rest > 0 ? 1 : 0));
    space_.free_bytes +=
        static_cast<std::uint64_t>(std::distance(first_gone, pages_.end())) * page_bytes;
    pages_.erase(first_gone, pages_.end());
    const auto last = pages_.find(size_bytes / page_bytes);
    if (rest > 0 && last != pages_.end()) {
        std::fill(last->second->begin() + static_cast<std::ptrdiff_t>(rest), last->second->end(),
                  std::byte{0});
    }
    size_ = size_bytes;
}

std::int32_t Files::open(const std::string& path, OpenOptions options) {
    if (path.find('\0') != std::string::npos) return failure(std::errc::invalid_argument);
    if (!options.read && !options.write) return failure(std::errc::invalid_argument);
    if (path.empty()) return failure(std::errc::no_such_file_or_directory);
    if (has_long_name(path)) return failure(std::errc::filename_too_long);
    auto found = by_path_.find(path);
    if (found == by_path_.end() && !options.create && !folders_.contains(path)) {
        return failure(std::errc::no_such_file_or_directory);
    }
    if (folders_.contains(path)) return failure(std::errc::is_a_directory);
    if (found != by_path_.end() && options.create && options.exclusive) {
        return failure(std::errc::file_exists);
    }
    // Before the file is made: an open that fails leaves nothing behind.
    if (!medium_.descriptors.has_room()) return failure(std::errc::too_many_files_open);
    if (found == by_path_.end()) {
        if (path.back() == '/') return failure(std::errc::is_a_directory);
        found = by_path_.emplace(path, std::make_shared<FileData>(space_)).first;
    }
    if (options.truncate) found->second->truncate();
    return *medium_.descriptors.add(std::make_unique<OpenFile>(found->second, options));
}

void Files::put(const std::string& path, std::string_view content) {
    auto data = std::make_shared<FileData>(space_);
    const std::size_t written = data->write(bytes_of(content), 0);
    GYRE_ASSERT(written == content.size(),
                "the simulated disk is full: raise files_size_max_bytes");
    by_path_.insert_or_assign(path, std::move(data));
}

std::optional<std::string> Files::get(std::string_view path) const {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) return std::nullopt;
    std::string content(static_cast<std::size_t>(found->second->size_bytes()), '\0');
    found->second->read(std::as_writable_bytes(std::span(content)), 0);
    return content;
}

bool Files::remove(std::string_view path) {
    const auto found = by_path_.find(path);
    if (found == by_path_.end()) return false;
    by_path_.erase(found);
    return true;
}

}  // namespace gyre::sim
