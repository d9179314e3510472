// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/names.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gyre::trace {

std::string_view cut_text(std::string_view text, std::size_t size_max) noexcept {
    if (text.size() <= size_max) return text;
    std::size_t size = size_max;
    // A byte of the form 10xxxxxx goes on with the character before it; at most three do.
    const auto goes_on = [&text](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
    };
    while (size > 0 && size + 3 > size_max && goes_on(size)) --size;
    return text.substr(0, goes_on(size) ? size_max : size);
}

Names::Names(std::uint32_t count_max)
    : mask_(std::bit_ceil(std::max<std::size_t>(count_max / Bucket{}.size(), 1)) - 1),
      buckets_(std::make_unique<Bucket[]>(mask_ + 1)) {}

Names::Entry& Names::choose(Bucket& bucket, std::uint64_t id) noexcept {
    for (Entry& entry : bucket) {
        if (entry.id == id) return entry;
    }
    for (Entry& entry : bucket) {
        if (entry.id == 0) return entry;
    }
    // Full: the entries make room in turn, so that a new name stays for a while.
    std::uint8_t& victim = bucket[0].next_victim;
    Entry& entry = bucket[victim];
    victim = static_cast<std::uint8_t>((victim + 1u) % bucket.size());
    return entry;
}

void Names::set(std::uint64_t id, std::string_view name) noexcept {
    if (id == 0) return;
    Entry& entry = choose(bucket_of(id), id);
    const std::string_view kept = cut_text(name, Entry::text_size_max);
    entry.id = id;
    entry.size = static_cast<std::uint8_t>(kept.size());
    std::memcpy(entry.text, kept.data(), kept.size());
}

std::string_view Names::find(std::uint64_t id) const noexcept {
    if (id == 0) return {};
    for (const Entry& entry : bucket_of(id)) {
        if (entry.id == id) return {entry.text, entry.size};
    }
    return {};
}

}  // namespace gyre::trace
