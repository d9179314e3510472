// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a random sequence of ops gives the same results on io_uring, on epoll and in the
// simulation. Two bytes are a step: what to do, and with which of the sockets or where in the file.
// A receive without anything to receive is started and cancelled in one tick.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/sim/script.test.hpp"

using namespace gyre;
using namespace gyre::sim;

namespace {

constexpr std::size_t step_count_max = 40;

// One end of a stream, and what its peer has done so far.
struct End {
    Fd fd;
    std::size_t peer = 0;
    std::size_t unread = 0;  // bytes that its peer sent and it has not received
    bool is_open = true;
    bool has_ended = false;  // it has called end_sending
    bool was_reset = false;  // its peer closed with unread bytes, or it wrote to a closed peer
};

// Plays the input on one platform. Both ends are in one thread, so nothing is left to chance but the
// time at which bytes arrive: a pause comes before each step that depends on it.
class Player {
public:
    explicit Player(Script& script) : script_(script) {
        for (const bool is_tcp : {true, false}) {
            const auto [one, other] =
                is_tcp ? script.connected(Address::loopback()) : script.pair();
            const std::size_t first = ends_.size();
            ends_.push_back({.fd = one, .peer = first + 1});
            ends_.push_back({.fd = other, .peer = first});
        }
        near_ = script.bound(Address::loopback());
        far_ = script.bound(Address::loopback());
        far_at_ = script.sockets().local_address(far_).value();
    }
    void step(std::uint8_t what, std::uint8_t how) {
        End& end = ends_[how % ends_.size()];
        switch (what % 10) {
            case 0:
                return send(end, how / 4u);
            case 1:
                return receive(end);
            case 2:
                return end_sending(end);
            case 3:
                return close(end);
            case 4:
                return poll(end);
            case 5:
                return start_and_cancel(end);
            case 6:
                return send_datagram(how);
            case 7:
                return receive_datagram();
            case 8:
                return script_.pause();
            default:
                // Of another kind: each platform must refuse it alike.
                return how % 2 == 0 ? script_.sync(end.fd) : script_.read(end.fd, how);
        }
    }

private:
    void settle() {
        if (std::exchange(is_moving_, false)) script_.pause();
    }
    End& peer_of(const End& end) { return ends_[end.peer]; }

    void send(End& end, std::size_t size) {
        End& peer = peer_of(end);
        settle();
        script_.send(end.fd, std::string(size, static_cast<char>('a' + size % 26)));
        is_moving_ = true;
        if (!end.is_open || end.has_ended || size == 0) return;
        if (peer.is_open) {
            peer.unread += size;
        } else {
            end.was_reset = true;
        }
    }
    void receive(End& end) {
        const End& peer = peer_of(end);
        const bool would_wait =
            end.is_open && end.unread == 0 && peer.is_open && !peer.has_ended && !end.was_reset;
        if (would_wait) return start_and_cancel(end);
        settle();
        script_.receive(end.fd);
        end.unread -= std::min<std::size_t>(end.unread, 64);
    }
    void end_sending(End& end) {
        settle();
        script_.end_sending(end.fd);
        is_moving_ = true;
        end.has_ended = true;
    }
    void close(End& end) {
        settle();
        if (end.is_open && end.unread > 0) peer_of(end).was_reset = true;
        script_.close(end.fd);
        is_moving_ = true;
        end.is_open = false;
    }
    void poll(End& end) {
        settle();
        script_.poll(end.fd, Events::readable | Events::writable);
    }
    // Only where nothing can be received, so that its one result is that of the cancel.
    void start_and_cancel(End& end) {
        const End& peer = peer_of(end);
        if (!end.is_open || !peer.is_open || peer.has_ended || end.unread > 0 || end.was_reset) {
            return;
        }
        settle();
        std::array<std::byte, 64> buffer{};
        ReceiveOp op(end.fd, buffer);
        script_.app.start(op);
        script_.app.stop(op);
        script_.note("cancelled receive", script_.finish(op));
    }
    void send_datagram(std::uint8_t how) {
        script_.send_to(near_, std::string(how / 4u, 'd'), far_at_);
        ++datagrams_;
        is_moving_ = true;
    }
    void receive_datagram() {
        if (datagrams_ == 0) return;
        settle();
        --datagrams_;
        script_.receive_from(far_, 32);
    }

    Script& script_;
    std::vector<End> ends_;
    Fd near_ = -1;
    Fd far_ = -1;
    Address far_at_;
    std::size_t datagrams_ = 0;
    bool is_moving_ = false;  // Something may be under way.
};

std::string record(Platform& platform, Offload& offload, std::span<const std::uint8_t> input) {
    Script script(platform, offload);
    Player player(script);
    for (std::size_t i = 0; i + 1 < input.size() && i / 2 < step_count_max; i += 2) {
        player.step(input[i], input[i + 1]);
    }
    return script.lines;
}

std::string record_on(const char* name, std::span<const std::uint8_t> input) {
    platform::SystemClock clock;
    pool::ThreadPool pool({.thread_count = 1});
    auto system = platform::make_platform(clock, name);
    return system ? record(**system, pool, input) : std::string();
}

void expect_same(const char* name, const std::string& record, const std::string& simulated) {
    if (record == simulated) return;
    std::fprintf(stderr, "---- %s\n%s---- sim\n%s", name, record.c_str(), simulated.c_str());
    GYRE_ASSERT(false, "%s gives other results than the simulation", name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    const std::span input(data, size_bytes);
    VirtualClock clock;
    SimPlatform sim(clock);
    const std::string simulated = record(sim, sim.offload(), input);
    for (const char* name : {"epoll", "uring"}) {
        const std::string seen = record_on(name, input);
        if (!seen.empty()) expect_same(name, seen, simulated);  // Empty: refused by the system.
    }
    return 0;
}
