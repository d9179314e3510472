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
        done += part.size();
    }
    if (done > 0) size_ = std::max(size_, offset + done);
    return done;
}

// Frees the pages beyond the end, and clears the rest of the last page.
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

}  // namespace gyre::sim
