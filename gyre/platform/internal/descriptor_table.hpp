// SPDX-License-Identifier: Apache-2.0
// DescriptorTable: what a platform knows about each descriptor it has worked on, found by number.
// It grows with the largest open descriptor seen and never moves an entry. Only the loop's thread;
// part of the platform.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "gyre/base/result.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

// Whether the number names an open descriptor of this process.
[[nodiscard]] bool is_open(Fd fd) noexcept;

struct UnfinishedLinks;
struct StarvedLinks;

// What a platform knows about a descriptor, whichever it is.
struct WatchedDescriptor : Link<UnfinishedLinks>, Link<StarvedLinks> {
    Fd fd = -1;

    [[nodiscard]] bool is_unfinished() const noexcept {
        return static_cast<const Link<UnfinishedLinks>&>(*this).is_linked();
    }
    [[nodiscard]] bool is_starved() const noexcept {
        return static_cast<const Link<StarvedLinks>&>(*this).is_linked();
    }
    void leave_lists() noexcept;
};

// The ops that wait on one descriptor of EpollPlatform, and what is known about it.
//
//   may_read, may_write  false only while an edge is sure to come before that side can go on: the
//                        last attempt found nothing left, and the descriptor is registered
//   has_ended            an edge has told the end or an error: no further one may come, so that a
//                        short read no longer means that an edge will follow
//   is_closing           it is to be closed when the last of `files` is back: until then nobody may
//                        be given its number, which another thread still uses
struct Descriptor : WatchedDescriptor {
    enum class Kind : std::uint8_t { unknown, stream, other_socket, not_a_socket };

    HoldQueue reads;
    HoldQueue writes;
    HoldQueue watchers;     // poll and readiness: they take nothing, so they wait for nobody
    HoldQueue files;        // at the Offload: queued there, or running
    Hold* close = nullptr;  // the op that asked for it, if an op did
    Kind kind = Kind::unknown;
    bool is_registered = false;
    bool is_level = false;  // registered for those who watch levels, and without edges
    bool is_non_blocking = false;
    bool is_connecting = false;  // the first of `writes` is a connect under way
    bool may_read = true;
    bool may_write = true;
    bool has_ended = false;
    bool is_closing = false;

    // As after a close: the next descriptor of this number is another one.
    void forget() noexcept;
};

// An Entry has `Fd fd`, and is not moved once it is there.
template <class Entry>
class DescriptorTable {
public:
    // Null when nothing is known about this number.
    [[nodiscard]] Entry* find(Fd fd) noexcept {
        if (fd < 0) return nullptr;
        const auto index = static_cast<std::size_t>(fd);
        if (index / chunk_size >= chunks_.size()) return nullptr;
        Chunk* chunk = chunks_[index / chunk_size].get();
        return chunk == nullptr ? nullptr : &(*chunk)[index % chunk_size];
    }

    // Makes the entry where there is none. The error `bad_file_descriptor` when the number names no
    // open descriptor, so that no number can make the table larger than the process's descriptors.
    [[nodiscard]] Result<Entry*> get(Fd fd) noexcept {
        if (Entry* known = find(fd)) return known;
        // Only here, where the table must grow: an attempt on a number that is in the table already
        // finds out by itself.
        if (!is_open(fd)) return std::unexpected(Error(std::errc::bad_file_descriptor));
        const auto index = static_cast<std::size_t>(fd) / chunk_size;
        try {
            auto chunk = std::make_unique<Chunk>();
            Fd number = static_cast<Fd>(index * chunk_size);
            for (Entry& entry : *chunk) entry.fd = number++;
            if (index >= chunks_.size()) chunks_.resize(index + 1);
            chunks_[index] = std::move(chunk);
        } catch (const std::bad_alloc&) {
            return std::unexpected(Error(std::errc::not_enough_memory));
        }
        return find(fd);
    }

    template <class Visitor>
    void for_each(Visitor visit) {
        for (auto& chunk : chunks_) {
            if (chunk == nullptr) continue;
            for (Entry& entry : *chunk) visit(entry);
        }
    }

private:
    static constexpr std::size_t chunk_size = 64;
    using Chunk = std::array<Entry, chunk_size>;

    std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace gyre::platform
