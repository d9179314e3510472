// SPDX-License-Identifier: Apache-2.0
// Files: the disk of a simulated computer, in memory: files by path, written at any offset with
// zeros in between. To open a file, '/' in its path means nothing: no folder need be made before;
// SimFileTree shows them as folders. One thread; it outlives the loops that use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

// What a disk still has to give. Outlives its files.
struct DiskSpace {
    std::uint64_t free_bytes;
    std::uint64_t last_number = 0;  // of the files made so far
};

// The content of one file. Only pages that were written take space.
class FileData {
public:
    explicit FileData(DiskSpace& space) noexcept : space_(space), number_(++space.last_number) {}
    ~FileData() { truncate(); }
    FileData(const FileData&) = delete;
    FileData& operator=(const FileData&) = delete;

    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    std::size_t read(Bytes into, std::uint64_t offset) const;
    // How many bytes were written: fewer when the disk got full.
    std::size_t write(ConstBytes from, std::uint64_t offset);
    void truncate() noexcept { resize(0); }
    void resize(std::uint64_t size_bytes) noexcept;

private:
    static constexpr std::size_t page_bytes = 4096;
    using Page = std::array<std::byte, page_bytes>;

    DiskSpace& space_;
    const std::uint64_t number_;
    std::uint64_t size_ = 0;
    std::map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

class Files {
public:
    explicit Files(Medium& medium) noexcept
        : medium_(medium), space_{.free_bytes = medium.options.files_size_max_bytes} {}

    // The descriptor, or the error as a negative number.
    [[nodiscard]] std::int32_t open(const std::string& path, OpenOptions options);

    // For tests: the disk without a loop.
    void put(const std::string& path, std::string_view content);
    [[nodiscard]] std::optional<std::string> get(std::string_view path) const;
    // An open file stays readable. False when there is no such file.
    bool remove(std::string_view path);
    [[nodiscard]] std::uint64_t free_bytes() const noexcept { return space_.free_bytes; }

private:
    friend class SimFileTree;

    Medium& medium_;
    DiskSpace space_;
    // Shared with the descriptors: a removed file lives until the last of them is closed.
    std::map<std::string, std::shared_ptr<FileData>, std::less<>> by_path_;
    // Those that were made; a folder in which there is a file is there too.
    std::set<std::string, std::less<>> folders_ = {"/tmp"};
};

}  // namespace gyre::sim
