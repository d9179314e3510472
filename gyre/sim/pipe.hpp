// SPDX-License-Identifier: Apache-2.0
// Pipe: one direction of a stream: bytes under way, then bytes that arrived, and at the end a mark.
// Nothing overtakes anything. Descriptors may travel with bytes. It belongs to the receiving socket
// and holds a bounded number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "gyre/base/bytes.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class Pipe : private Happening {
public:
    // What arrives: bytes, the end of the stream, or the news that the other side gave up.
    enum class Arrival { bytes, end, reset };
    using OnArrival = std::function<void(Arrival)>;

    Pipe(Medium& medium, OnArrival on_arrival)
        : Happening(medium.timeline), medium_(medium), on_arrival_(std::move(on_arrival)) {}
    ~Pipe() override { clear(); }

    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return medium_.options.stream_buffer_bytes - bytes_.size();
    }
    [[nodiscard]] std::size_t arrived_bytes() const noexcept { return arrived_; }
    [[nodiscard]] bool holds_bytes() const noexcept { return !bytes_.empty(); }

    // As much as fits; returns how much. What is passed goes with the first byte.
    std::size_t push(ConstBytes data, PassedId passed = 0);
    void push(Arrival mark);
    // Of what has arrived, not beyond bytes with which something was passed: that belongs to the
    // caller then.
    struct Popped {
        std::size_t size;
        PassedId passed;  // 0: nothing
    };
    Popped pop(Bytes into);
    void clear() noexcept;

private:
    struct Segment {
        Instant arrives_at;
        Arrival what;
        std::size_t size;
    };

    // Bytes with which something was passed, counted from the first byte that ever came.
    struct Accompanied {
        std::uint64_t begin;
        std::uint64_t end;
        PassedId passed;
    };

    void add(Arrival what, std::size_t size);
    void happen() noexcept override;

    Medium& medium_;
    OnArrival on_arrival_;
    std::deque<std::byte> bytes_;  // what has arrived, then what is under way
    std::deque<Segment> under_way_;
    std::size_t arrived_ = 0;
    std::uint64_t popped_ = 0;  // bytes that have left it
    std::deque<Accompanied> accompanied_;
};

}  // namespace gyre::sim
