// SPDX-License-Identifier: Apache-2.0
// FileData: the content of a simulated file. Sparse: only written pages take space, the others read
// as zeros. On a disk that can crash it has two versions: that of the page cache, which programs see,
// and the safe one, which a sync brings up to date. One thread; the DiskSpace outlives it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "gyre/base/bytes.hpp"
#include "gyre/base/random.hpp"

namespace gyre::sim {

// The free space of a disk. Outlives its files.
struct DiskSpace {
    std::uint64_t free_bytes;
    bool can_crash = false;
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

    // ---- On a disk that can crash ----

    void sync();
    // A sync has failed: later ones do not write what this one should have written.
    void forget_unsynced() noexcept;
    // Of what was not synced, any sectors are kept, and any are lost.
    void crash(Random& random);
    // Flips a bit of the safe version. False if it is empty.
    bool rot(Random& random);

private:
    static constexpr std::size_t page_bytes = 4096;
    static constexpr std::size_t sector_bytes = 512;  // written as a whole, or not
    using Page = std::array<std::byte, page_bytes>;

    DiskSpace& space_;
    std::uint64_t size_ = 0;
    using Pages = std::map<std::uint64_t, std::unique_ptr<Page>>;

    // A page of zeros where there is none.
    static const Page& page_at(const Pages& pages, std::uint64_t number) noexcept;
    void note_unsynced(std::uint64_t page) {
        if (space_.can_crash) unsynced_.insert(page);
    }
    [[nodiscard]] std::uint64_t size_after_crash(Random& random) const noexcept;

    Pages pages_;
    Pages safe_pages_;
    std::uint64_t safe_size_ = 0;
    bool is_size_unsynced_ = false;
    std::set<std::uint64_t> unsynced_;  // pages that differ, by their numbers
};

}  // namespace gyre::sim
