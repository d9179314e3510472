// SPDX-License-Identifier: Apache-2.0
// Pipe: one direction of a stream, in order: bytes that arrived, bytes in flight, then an end or a
// reset. Descriptors may be passed with bytes. The number of bytes is bounded. Over a link that is
// cut, bytes wait; their sender gives up after SimOptions::tcp_gives_up_after. One thread; part of
// the receiving socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "gyre/base/bytes.hpp"
#include "gyre/sim/internal/net/wire.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class Pipe : private TimelineEvent {
public:
    // Bytes, the end of the stream, a reset by the peer, or: the sender has given up.
    enum class Arrival { bytes, end, reset, lost };
    using OnArrival = std::function<void(Arrival)>;

    Pipe(SimContext& context, OnArrival on_arrival)
        : TimelineEvent(context.timeline), context_(context), on_arrival_(std::move(on_arrival)) {}
    ~Pipe() override { clear(); }

    // What is pushed from now on comes over this link; null: the loopback interface.
    void set_link(Link* link) noexcept { link_ = link; }
    [[nodiscard]] Link* link() const noexcept { return link_; }
    // The link is whole again: what waited is sent again, after a pause.
    void go_on();

    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return context_.options.stream_buffer_bytes - bytes_.size();
    }
    [[nodiscard]] std::size_t arrived_bytes() const noexcept { return arrived_; }
    [[nodiscard]] bool holds_bytes() const noexcept { return !bytes_.empty(); }

    // Takes as many bytes as fit, and returns their number. The descriptors are passed with the
    // first byte.
    std::size_t push(ConstBytes data, PassedId passed = 0);
    void push(Arrival mark);
    // Takes bytes that have arrived, and stops after bytes with passed descriptors: the caller then
    // owns those.
    struct Popped {
        std::size_t size;
        PassedId passed;  // 0: none
    };
    Popped pop(Bytes into);
    void clear() noexcept;

private:
    struct Segment {
        Instant arrives_at;
        Arrival what;
        std::size_t size;
    };

    // Bytes with passed descriptors; offsets count from the first byte of the stream.
    struct PassedRange {
        std::uint64_t begin;
        std::uint64_t end;
        PassedId passed;
    };

    void add(Arrival what, std::size_t size);
    void fire() noexcept override;
    void give_up() noexcept;
    void stop_waiting() noexcept;

    SimContext& context_;
    OnArrival on_arrival_;
    Link* link_ = nullptr;
    bool is_waiting_ = false;      // for the link
    std::deque<std::byte> bytes_;  // arrived_ bytes first, then bytes in flight
    std::deque<Segment> in_flight_;
    std::size_t arrived_ = 0;
    std::uint64_t popped_ = 0;  // in all, since the start of the stream
    std::deque<PassedRange> passed_ranges_;
};

}  // namespace gyre::sim
