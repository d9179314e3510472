// SPDX-License-Identifier: Apache-2.0
// Hold::mark as UringPlatform uses it, and the conversion between an op and the user_data of its
// request. Only the loop's thread.
#pragma once

#include <cerrno>
#include <cstdint>

#include "gyre/platform/internal/holds.hpp"

namespace gyre::platform {

enum UringMark : std::uint32_t {
    is_issued = 1u << 0u,     // a request of it is in flight: the op and its buffers stay
    is_withdrawn = 1u << 1u,  // to be cancelled; the result of its request says how it ended
    is_cancel_issued = 1u << 2u,
    is_polling = 1u << 3u,       // the request only polls until the op can be tried
    must_poll = 1u << 4u,        // the next request is to be a poll
    is_always_ready = 1u << 5u,  // a readiness op that needs no request
    is_offloaded = 1u << 6u,     // a file op that a thread executes, without a request
    is_in_edge_set = 1u << 7u    // an edge-triggered op whose descriptor is in the epoll set
};

// The upper half of the mark: the low bits of the number of the wait with which a level op's
// request was submitted.
inline void note_wait(Hold& hold, std::uint64_t wait_count) noexcept {
    hold.mark = (hold.mark & 0xffffu) | (static_cast<std::uint32_t>(wait_count) << 16u);
}
inline bool is_of_wait(const Hold& hold, std::uint64_t wait_count) noexcept {
    return (hold.mark >> 16u) == (static_cast<std::uint32_t>(wait_count) & 0xffffu);
}

inline bool has(const Hold& hold, UringMark mark) noexcept {
    return (hold.mark & mark) != 0;
}
inline void set(Hold& hold, UringMark mark) noexcept {
    hold.mark |= mark;
}
inline void unset(Hold& hold, UringMark mark) noexcept {
    hold.mark &= ~std::uint32_t{mark};
}

inline bool is_edge(const Hold& hold) noexcept {
    return hold.op().code() == IoCode::readiness && !is_level(hold);
}

// The kind of a request, in the low bits of user_data, which are 0 in every address.
enum class UringTag : std::uint64_t { op = 0, cancel = 1, wake = 2, edges = 3 };
inline constexpr std::uint64_t uring_tag_mask = 7;
static_assert(alignof(Hold) >= 8);

inline std::uint64_t user_data_of(Hold& hold) noexcept {
    return reinterpret_cast<std::uintptr_t>(&hold);
}
inline Hold& hold_of_user_data(std::uint64_t user_data) noexcept {
    return *reinterpret_cast<Hold*>(static_cast<std::uintptr_t>(user_data));
}

// The request had no effect, and can be submitted again.
inline bool was_interrupted(std::int32_t result) noexcept {
    return result == -ECANCELED || result == -EINTR;
}

}  // namespace gyre::platform
