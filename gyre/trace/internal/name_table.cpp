// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/name_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gyre::trace {

std::string_view cut_text(std::string_view text, std::size_t size_max) noexcept {
    if (text.size() <= size_max) return text;
    std::size_t size = size_max;
    // 10xxxxxx is a continuation byte; a character has at most three.
    const auto is_continuation = [&text](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
    };
    while (size > 0 && size + 3 > size_max && is_continuation(size)) --size;
    return text.substr(0, is_continuation(size) ? size_max : size);
}

NameTable::NameTable(std::uint32_t count_max)
    : mask_(std::bit_ceil(std::max<std::size_t>(count_max / Bucket{}.size(), 1)) - 1),
      buckets_(std::make_unique<Bucket[]>(mask_ + 1)) {}

NameTable::Entry& NameTable::choose(Bucket& bucket, std::uint64_t id) noexcept {
    for (Entry& entry : bucket) {
        if (entry.id == id) return entry;
    }
    for (Entry& entry : bucket) {
        if (entry.id == 0) return entry;
    }
    // The bucket is full: replace its entries in turn, so that a new name stays for a while.
    std::uint8_t& victim = bucket[0].next_victim;
    Entry& entry = bucket[victim];
    victim = static_cast<std::uint8_t>((victim + 1u) % bucket.size());
    return entry;
}

void NameTable::set(std::uint64_t id, std::string_view name) noexcept {
    if (id == 0) return;
    Entry& entry = choose(bucket_of(id), id);
    const std::string_view kept = cut_text(name, Entry::text_size_max);
    entry.id = id;
    entry.size = static_cast<std::uint8_t>(kept.size());
    std::memcpy(entry.text, kept.data(), kept.size());
}

std::string_view NameTable::find(std::uint64_t id) const noexcept {
    if (id == 0) return {};
    for (const Entry& entry : bucket_of(id)) {
        if (entry.id == id) return {entry.text, entry.size};
    }
    return {};
}

}  // namespace gyre::trace
