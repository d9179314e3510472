// SPDX-License-Identifier: Apache-2.0
// Tracked: an op of a random program with the test's own record of its state. One thread; it lives
// until the laws have been checked, longer than any use of the op.
#pragma once

#include <cstdint>

#include "gyre/kernel/offload.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre::property {

class Tracked {
public:
    Tracked() = default;
    virtual ~Tracked() = default;
    Tracked(const Tracked&) = delete;
    Tracked& operator=(const Tracked&) = delete;

    [[nodiscard]] virtual Op& op() noexcept = 0;

    // As a standing op's server: one more item in the memory that both sides share. False when it
    // is full.
    virtual bool write() noexcept { return ++written > 0; }
    // As its initiator: all that is there. False when an item came out of order.
    virtual bool read() noexcept {
        seen = written;
        return true;
    }

    CancelOp message;  // to carry its cancellation

    std::uint64_t submitted_count = 0;
    std::uint64_t returned_count = 0;
    bool is_posted = false;
    bool is_cancel_asked = false;
    bool is_order_pinned = false;  // its completion keeps its place among those of its pair
    TraceId trace_id = 0;
    OpId parent_op_id = 0;
    std::uint64_t place_out = 0;
    std::uint64_t place_back = 0;
    std::uint64_t server = 0;

    // Items of the shared memory: how many were written, were there at the last ring, were read.
    std::uint64_t written = 0;
    std::uint64_t rung = 0;
    std::uint64_t seen = 0;

    // A server that asks somebody else: the op it serves, and the op it asks with.
    Tracked* on_behalf_of = nullptr;
    Tracked* delegate = nullptr;
};

class OwnedTimer : public TimerOp {
public:
    using TimerOp::TimerOp;
    void* owner = nullptr;
};

inline Tracked& tracked_of(Op& op) noexcept {
    const bool is_timer = op.code() == OpCode::timer;
    return *static_cast<Tracked*>(is_timer
                                      ? static_cast<OwnedTimer&>(static_cast<TimerOp&>(op)).owner
                                      : static_cast<Request&>(op).owner);
}

class AskOp : public Request {
public:
    AskOp() noexcept : Request(OpCode::first_custom) {}
};

class WatchOp : public StandingOp {
public:
    WatchOp() noexcept : StandingOp(OpCode::first_custom_standing) {}
};

template <class Kind>
class TrackedOp : public Tracked {
public:
    template <class... Args>
    explicit TrackedOp(Args&&... args) : kind(static_cast<Args&&>(args)...) {
        kind.owner = static_cast<Tracked*>(this);
    }
    [[nodiscard]] Op& op() noexcept override { return kind; }
    Kind kind;
};

// A channel of numbered items.
class Feed final : public Tracked {
public:
    Feed() { kind.owner = static_cast<Tracked*>(this); }
    [[nodiscard]] Op& op() noexcept override { return kind; }
    bool write() noexcept override {
        if (!ring.push(written)) return false;
        ++written;
        return true;
    }
    bool read() noexcept override {
        bool is_in_order = true;
        while (const auto item = ring.pop()) is_in_order = is_in_order && *item == seen++;
        return is_in_order;
    }

private:
    SpscRing<std::uint64_t> ring{8};

public:
    ChannelOp<std::uint64_t> kind{ring};
};

}  // namespace gyre::property
