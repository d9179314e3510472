// SPDX-License-Identifier: Apache-2.0
// DescriptorTable: the platform's state of each descriptor it has worked on, indexed by number. It
// grows with the largest open descriptor seen and never moves an entry. Only the loop's thread;
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

// Whether the number is an open descriptor of this process.
[[nodiscard]] bool is_open(Fd fd) noexcept;

struct UnfinishedLinks;
struct StarvedLinks;

// The state of a descriptor that both platforms keep.
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

// The ops that wait on one descriptor of EpollPlatform, and its state.
//
//   may_read, may_write  false only while an edge is certain to come before that side can go on:
//                        the last attempt would have blocked, and the descriptor is registered
//   has_ended            an edge has reported the end or an error: no further edge may come, so
//                        that a short read no longer means that an edge will follow
//   is_closing           to be closed when the last of `files` has completed: until then the number
//                        must not be reused, since another thread still uses it
struct Descriptor : WatchedDescriptor {
    enum class Kind : std::uint8_t { unknown, stream, other_socket, not_a_socket };

    HoldQueue reads;
    HoldQueue writes;
    HoldQueue watchers;     // poll and readiness: they transfer no data, so they do not queue
    HoldQueue files;        // with the Offload: queued there, or running
    Hold* close = nullptr;  // the CloseOp, if the close came from an op
    Kind kind = Kind::unknown;
    bool is_registered = false;
    bool is_level = false;  // registered level-triggered, for level ops only
    bool is_non_blocking = false;
    bool is_connecting = false;  // the first of `writes` is a connect in progress
    bool may_read = true;
    bool may_write = true;
    bool has_ended = false;
    bool is_closing = false;

    // After a close: the next descriptor of this number is a different one.
    void forget() noexcept;
};

// An Entry has `Fd fd`, and is never moved.
template <class Entry>
class DescriptorTable {
public:
    // Null if there is no entry for this number.
    [[nodiscard]] Entry* find(Fd fd) noexcept {
        if (fd < 0) return nullptr;
        const auto index = static_cast<std::size_t>(fd);
        if (index / chunk_size >= chunks_.size()) return nullptr;
        Chunk* chunk = chunks_[index / chunk_size].get();
        return chunk == nullptr ? nullptr : &(*chunk)[index % chunk_size];
    }

    // Creates the entry if there is none. The error `bad_file_descriptor` if the number is not an
    // open descriptor, so that no number can make the table larger than the process's descriptors.
    [[nodiscard]] Result<Entry*> get(Fd fd) noexcept {
        if (Entry* known = find(fd)) return known;
        // Checked only here, where the table must grow: for a number that is in the table already,
        // the system call itself fails.
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
