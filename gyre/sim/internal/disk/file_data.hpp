// SPDX-License-Identifier: Apache-2.0
// FileData: the content of a simulated file. Sparse: only written pages take space, the others read
// as zeros. One thread; the DiskSpace outlives it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "gyre/base/bytes.hpp"

namespace gyre::sim {

// The free space of a disk. Outlives its files.
struct DiskSpace {
    std::uint64_t free_bytes;
};

class FileData {
public:
    explicit FileData(DiskSpace& space) noexcept : space_(space) {}
    ~FileData() { resize(0); }
    FileData(const FileData&) = delete;
    FileData& operator=(const FileData&) = delete;

    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
    std::size_t read(Bytes into, std::uint64_t offset) const;
    // The number of bytes written: fewer when the disk is full.
    std::size_t write(ConstBytes from, std::uint64_t offset);
    void resize(std::uint64_t size_bytes) noexcept;

private:
    static constexpr std::size_t page_bytes = 4096;
    using Page = std::array<std::byte, page_bytes>;

    DiskSpace& space_;
    std::uint64_t size_ = 0;
    std::map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace gyre::sim
