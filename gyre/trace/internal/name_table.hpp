// SPDX-License-Identifier: Apache-2.0
// NameTable: copies of the names of machines or tasks by id, because these may be destroyed before
// the trace is read. Fixed size: in a full bucket a new name replaces an old one. Allocates only
// when it is made. One thread at a time; part of a Ring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace gyre::trace {

// The longest prefix of at most `size_max` bytes that does not split a UTF-8 character.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t size_max) noexcept;

class NameTable {
public:
    // Rounded up to a power of two.
    explicit NameTable(std::uint32_t count_max);

    // Whether the id has a name. Inline: called for each event.
    [[nodiscard]] bool knows(std::uint64_t id) const noexcept {
        const Bucket& bucket = bucket_of(id);
        if (bucket[0].id == id) return true;
        return bucket[1].id == id || bucket[2].id == id || bucket[3].id == id;
    }
    // Replaces an earlier name. Ignored for id 0.
    void set(std::uint64_t id, std::string_view name) noexcept;
    // Empty when there is none, or when it was replaced.
    [[nodiscard]] std::string_view find(std::uint64_t id) const noexcept;

private:
    struct Entry {
        static constexpr std::size_t text_size_max = 54;
        std::uint64_t id = 0;
        std::uint8_t size = 0;
        std::uint8_t next_victim = 0;  // of its bucket, in the first entry
        char text[text_size_max] = {};
    };
    static_assert(sizeof(Entry) == 64);
    using Bucket = std::array<Entry, 4>;

    [[nodiscard]] std::size_t index_of(std::uint64_t id) const noexcept {
        // Ids count up: the multiplication spreads them over the upper bits.
        return static_cast<std::size_t>((id * 0x9e3779b97f4a7c15u) >> 32u) & mask_;
    }
    [[nodiscard]] Bucket& bucket_of(std::uint64_t id) noexcept { return buckets_[index_of(id)]; }
    [[nodiscard]] const Bucket& bucket_of(std::uint64_t id) const noexcept {
        return buckets_[index_of(id)];
    }
    [[nodiscard]] static Entry& choose(Bucket& bucket, std::uint64_t id) noexcept;

    std::size_t mask_;
    std::unique_ptr<Bucket[]> buckets_;
};

}  // namespace gyre::trace
