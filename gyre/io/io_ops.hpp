// SPDX-License-Identifier: Apache-2.0
// The ops of descriptors that platforms serve: readiness, connections, streams, files, signals.
// Submit one to the platform, which is the app's default destination; set its fields while it is
// idle. The result of each is noted at its class; below 0 it is a negative error number.
//
//     ReceiveOp receive(fd, buffer);
//     submit(receive);                  // completes with the number of bytes, 0 at the end
//
// Thread: as for any op.
// Lifetime: buffers, rings and paths belong to the initiator and stay valid until the completion.
// Cancel: did nothing (result "operation canceled"), or did what the result says. A cancelled
// accept or receive takes nothing from the socket.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gyre/base/byte_ring.hpp"
#include "gyre/base/bytes.hpp"
#include "gyre/io/address.hpp"
#include "gyre/io/op_kinds.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre {

struct HoldLinks;

// What an op waits for; also what it got.
enum class Events : std::uint8_t {
    none = 0,
    readable = 1,
    writable = 2,
    hang_up = 4,
    error = 8,
    priority = 16,  // urgent data; counts as readable too
};
constexpr Events operator|(Events a, Events b) noexcept {
    return static_cast<Events>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Events operator&(Events a, Events b) noexcept {
    return static_cast<Events>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr bool any(Events events) noexcept {
    return events != Events::none;
}

// The part of an op that a platform uses to keep it in its own lists: a held op's other links must
// stay free.
class Hold : public Link<HoldLinks> {
public:
    Hold(Op& op, Fd descriptor) noexcept : fd(descriptor), op_(&op) {}
    [[nodiscard]] Op& op() const noexcept { return *op_; }

    Fd fd;
    std::uint32_t mark = 0;  // the platform's own, while it holds the op

private:
    Op* op_;
};
using HoldQueue = Queue<Hold, HoldLinks>;

// A one-shot op on a descriptor.
class IoOp : public Request, public Hold {
public:
    IoOp(IoCode code, Fd descriptor) noexcept : Request(op_code(code)), Hold(*this, descriptor) {}
    using Link<OpLinks>::is_linked;
    using Link<OpLinks>::unlink;
};

// Waits once until the descriptor is ready. Result: the events, as a number.
class PollOp : public IoOp {
public:
    PollOp(Fd descriptor, Events wanted) noexcept
        : IoOp(IoCode::poll, descriptor), events(wanted) {}
    Events events;
};

// Takes one connection. Result: its descriptor; `peer` says who. While the process is out of
// descriptors the op waits, and goes on when there are some again.
class AcceptOp : public IoOp {
public:
    explicit AcceptOp(Fd listener) noexcept : IoOp(IoCode::accept, listener) {}
    Address peer;
};

// Result: 0 when connected.
class ConnectOp : public IoOp {
public:
    ConnectOp(Fd descriptor, const Address& address) noexcept
        : IoOp(IoCode::connect, descriptor), to(address) {}
    Address to;
};

// Result: how many bytes came, at least one; 0 at the end of the stream.
class ReceiveOp : public IoOp {
public:
    ReceiveOp(Fd descriptor, Bytes into) noexcept
        : IoOp(IoCode::receive, descriptor), buffer(into) {}
    Bytes buffer;
};

// Result: how many bytes the system took, at least one; not always all.
class SendOp : public IoOp {
public:
    SendOp(Fd descriptor, ConstBytes from) noexcept
        : IoOp(IoCode::send, descriptor), buffer(from) {}
    ConstBytes buffer;
};

struct OpenOptions {
    bool read = true;
    bool write = false;
    bool create = false;
    bool truncate = false;
    bool append = false;     // every write goes to the end, whatever its offset
    bool exclusive = false;  // with `create`: an error where it is there already
    std::uint32_t mode = 0644;
};

// Opens a file. Result: its descriptor.
class OpenOp : public IoOp {
public:
    explicit OpenOp(std::string file, OpenOptions how = {}) noexcept
        : IoOp(IoCode::open, -1), path(std::move(file)), options(how) {}
    std::string path;
    OpenOptions options;
};

// Reads a file at an offset. Result: how many bytes, 0 at the end of the file.
class ReadOp : public IoOp {
public:
    ReadOp(Fd descriptor, Bytes into, std::uint64_t at) noexcept
        : IoOp(IoCode::read, descriptor), buffer(into), offset(at) {}
    Bytes buffer;
    std::uint64_t offset;
};

// Writes to a file at an offset. Result: how many bytes, not always all.
class WriteOp : public IoOp {
public:
    WriteOp(Fd descriptor, ConstBytes from, std::uint64_t at) noexcept
        : IoOp(IoCode::write, descriptor), buffer(from), offset(at) {}
    ConstBytes buffer;
    std::uint64_t offset;
};

// Result: 0 when what was written is on the disk.
class FsyncOp : public IoOp {
public:
    explicit FsyncOp(Fd descriptor) noexcept : IoOp(IoCode::fsync, descriptor) {}
};

// Closes a descriptor. Ops that wait on it come back cancelled, before this one. Result: 0.
class CloseOp : public IoOp {
public:
    explicit CloseOp(Fd descriptor) noexcept : IoOp(IoCode::close, descriptor) {}
};

// ---- Standing ops ----

class StandingIoOp : public StandingOp, public Hold {
public:
    StandingIoOp(IoCode code, Fd descriptor) noexcept
        : StandingOp(op_code(code)), Hold(*this, descriptor) {}
    using Link<OpLinks>::is_linked;
    using Link<OpLinks>::unlink;
};

// When a ReadinessOp rings.
//   edge   once for what is there at the start, then for each change; hang-up and error unasked
//   level  after each wait that finds the descriptor ready, until it is no more; error unasked, and
//          the end of both directions, but that the peer sends no more only where it is wanted
enum class Trigger : std::uint8_t { edge, level };

struct LookLinks;

// Rings when the descriptor is ready. `take_events` says for what: with edges, all that happened
// since it was last asked, with levels what was found last. To want something else, cancel it and
// submit it again; where that is in one turn it costs no system call by itself.
class ReadinessOp : public StandingIoOp, public Link<LookLinks> {
public:
    ReadinessOp(Fd descriptor, Events interest, Trigger rings_at = Trigger::edge) noexcept
        : StandingIoOp(IoCode::readiness, descriptor), wanted(interest), trigger(rings_at) {}
    using StandingIoOp::is_linked;
    using StandingIoOp::unlink;
    [[nodiscard]] Events take_events() noexcept { return std::exchange(happened, Events::none); }
    [[nodiscard]] bool is_level() const noexcept { return trigger == Trigger::level; }

    Events wanted;
    Events happened = Events::none;
    Trigger trigger;
    bool was_quiet = false;  // for the platform: when it last looked
};

struct ReceiveStats {
    std::uint64_t received_bytes = 0;
    std::uint64_t lost_bytes = 0;  // by the overflow policy
    std::uint64_t overflows = 0;   // how often bytes were lost
};

// Receives into a ring and rings, until the stream ends (result 0), fails or the op is cancelled.
// What finds the ring full is lost as the policy says, and counted: for data of which the freshest
// matters. Where every byte matters, use ReceiveOp: the peer then waits.
class ReceiveRingOp : public StandingIoOp {
public:
    ReceiveRingOp(Fd descriptor, ByteRing& into, OverflowPolicy policy) noexcept
        : StandingIoOp(IoCode::receive_ring, descriptor), ring(&into), overflow(policy) {}
    ByteRing* ring;
    OverflowPolicy overflow;
    ReceiveStats stats;
};

// Rings when the process gets this signal; `take_count` says how often since it was last asked.
class SignalOp : public StandingIoOp {
public:
    explicit SignalOp(int number) noexcept
        : StandingIoOp(IoCode::signal, -1), signal_number(number) {}
    [[nodiscard]] std::uint32_t take_count() noexcept { return std::exchange(count, 0u); }

    int signal_number;
    std::uint32_t count = 0;
    // For signals that ask the process to end: one more, before the loop has heard of the last,
    // ends it at once, with 128 and the number. So a loop that is blocked can be interrupted.
    bool ends_process_when_unheard = false;
};

}  // namespace gyre
