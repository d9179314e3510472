// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/file_data.hpp"

#include <algorithm>
#include <iterator>

namespace gyre::sim {

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
        note_unsynced(at / page_bytes);
        done += part.size();
    }
    if (done > 0) size_ = std::max(size_, offset + done);
    is_size_unsynced_ = true;
    return done;
}

// Frees the pages beyond the end, and clears the rest of the last page.
void FileData::resize(std::uint64_t size_bytes) noexcept {
    const std::uint64_t rest = size_bytes % page_bytes;
    const auto first_gone = pages_.lower_bound(size_bytes / page_bytes + (rest > 0 ? 1 : 0));
    space_.free_bytes +=
        static_cast<std::uint64_t>(std::distance(first_gone, pages_.end())) * page_bytes;
    for (auto gone = first_gone; gone != pages_.end(); ++gone) note_unsynced(gone->first);
    pages_.erase(first_gone, pages_.end());
    const auto last = pages_.find(size_bytes / page_bytes);
    if (rest > 0 && last != pages_.end()) {
        std::fill(last->second->begin() + static_cast<std::ptrdiff_t>(rest), last->second->end(),
                  std::byte{0});
        note_unsynced(last->first);
    }
    size_ = size_bytes;
    is_size_unsynced_ = true;
}

// ---- On a disk that can crash ----

const FileData::Page& FileData::page_at(const Pages& pages, std::uint64_t number) noexcept {
    static constexpr Page zeros{};
    const auto found = pages.find(number);
    return found == pages.end() ? zeros : *found->second;
}

void FileData::sync() {
    if (!space_.can_crash) return;
    for (const std::uint64_t number : unsynced_) {
        if (pages_.contains(number)) {
            safe_pages_[number] = std::make_unique<Page>(page_at(pages_, number));
        } else {
            safe_pages_.erase(number);
        }
    }
    safe_size_ = is_size_unsynced_ ? size_ : safe_size_;
    forget_unsynced();
}

void FileData::forget_unsynced() noexcept {
    unsynced_.clear();
    is_size_unsynced_ = false;
}

// The size before, the size after, or one on the way at the end of a sector.
std::uint64_t FileData::size_after_crash(Random& random) const noexcept {
    if (!is_size_unsynced_ || size_ == safe_size_) return safe_size_;
    const std::uint64_t choice = random.below(3);
    if (choice == 0) return safe_size_;
    if (choice == 1 || size_ < safe_size_) return size_;
    const std::uint64_t between = safe_size_ + random.below(size_ - safe_size_);
    return std::max(safe_size_, between / sector_bytes * sector_bytes);
}

void FileData::crash(Random& random) {
    enum : std::uint64_t { all_lost, all_kept, drawn, fate_count };
    const std::uint64_t fate = random.below(fate_count);
    for (const std::uint64_t number : unsynced_) {
        auto after = std::make_unique<Page>(page_at(safe_pages_, number));
        const Page& before = page_at(pages_, number);
        for (std::size_t at = 0; at < page_bytes; at += sector_bytes) {
            const bool is_kept = fate == all_kept || (fate == drawn && random.one_in(2));
            if (is_kept) std::copy_n(before.begin() + at, sector_bytes, after->begin() + at);
        }
        safe_pages_[number] = std::move(after);
    }
    const std::uint64_t size = size_after_crash(random);
    space_.free_bytes += pages_.size() * page_bytes;
    pages_.clear();
    for (const auto& [number, page] : safe_pages_) {
        pages_[number] = std::make_unique<Page>(*page);
    }
    space_.free_bytes -= std::min<std::uint64_t>(space_.free_bytes, pages_.size() * page_bytes);
    // Bytes behind the end read as zeros if the file grows again.
    resize(size);
    is_size_unsynced_ = true;
    sync();
}

bool FileData::rot(Random& random) {
    if (safe_size_ == 0) return false;
    const std::uint64_t at = random.below(safe_size_);
    const auto bit = static_cast<std::byte>(1u << random.below(8));
    for (Pages* const pages : {&pages_, &safe_pages_}) {
        std::unique_ptr<Page>& page = (*pages)[at / page_bytes];
        if (page == nullptr) page = std::make_unique<Page>();
        (*page)[at % page_bytes] ^= bit;
    }
    return true;
}

}  // namespace gyre::sim
