// SPDX-License-Identifier: Apache-2.0
// A signal several times a millisecond, with a handler without SA_RESTART: every kind of op gives
// the same result as without signals (EINTR is handled everywhere).
#include <signal.h>
#include <sys/time.h>

#include <atomic>

#include "tests/fault/fault_world.hpp"
#include "tests/platforms/datagram_world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

std::atomic<std::uint64_t> hits{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // So that a handler may count.

// Hammers from its making to its end.
class Hammer {
public:
    Hammer() {
        struct sigaction action{};
        action.sa_handler = [](int) { hits.fetch_add(1); };
        EXPECT_EQ(::sigaction(SIGALRM, &action, &before_), 0);
        hits = 0;
        set_interval(200);
    }
    ~Hammer() {
        set_interval(0);
        ::sigaction(SIGALRM, &before_, nullptr);
    }

private:
    static void set_interval(int microseconds) {
        itimerval interval{};
        interval.it_interval.tv_usec = microseconds;
        interval.it_value.tv_usec = microseconds;
        EXPECT_EQ(::setitimer(ITIMER_REAL, &interval, nullptr), 0);
    }
    struct sigaction before_{};
};

class Interruptions : public OnPlatform {
protected:
    void talk() {
        const auto [client, server] = world->connected();
        std::array<std::byte, 16> buffer{};
        ReceiveOp receive(server, buffer);
        world->app.start(receive);
        world->settle();
        EXPECT_EQ(world->send(client, "ping"), 4);
        EXPECT_EQ(world->finish(receive), 4);
        PollOp poll(client, Events::readable);
        world->app.start(poll);
        EXPECT_EQ(world->send(server, "pong"), 4);
        EXPECT_EQ(world->finish(poll), static_cast<std::int32_t>(Events::readable));
        EXPECT_EQ(world->receive(client), "pong");
        close_with_reset(*world, server);
        EXPECT_EQ(world->run(receive), failure(std::errc::bad_file_descriptor));
        world->close(client);
    }
    void post() {
        Socket here(*world);
        Socket there(*world);
        std::array<std::byte, 16> buffer{};
        ReceiveFromOp receive(there.fd(), buffer);
        world->app.start(receive);
        world->settle();
        EXPECT_EQ(here.send("ping", there.address()), 4);
        EXPECT_EQ(world->finish(receive), 4);
        EXPECT_EQ(receive.from, here.address());
        EXPECT_EQ(there.send("pong", receive.from), 4);
        EXPECT_EQ(here.receive(), "pong");
    }
    void watch() {
        Pair pair(*world);
        std::array<std::byte, 16> memory{};
        ByteRing ring(memory);
        ReceiveRingOp receive_ring(pair.near, ring, OverflowPolicy::drop_newest);
        ReadinessOp readiness(pair.far, Events::readable);
        world->app.start(receive_ring);
        world->app.start(readiness);
        world->settle();
        pair.write_far("ring");
        world->turn_until_rung(receive_ring);
        EXPECT_EQ(ring.size_bytes(), 4u);
        EXPECT_EQ(world->send(pair.near, "x"), 1);
        world->turn_until_rung(readiness);
        EXPECT_EQ(world->cancel(readiness), cancelled_result);
        pair.close_far();
        // The byte that nobody read makes the end of a Unix stream a reset.
        EXPECT_EQ(world->finish(receive_ring), failure(std::errc::connection_reset));
    }
    void use_files() {
        const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
        WriteOp write(fd, bytes_of("file"), 0);
        EXPECT_EQ(world->run(write), 4);
        FsyncOp fsync(fd);
        EXPECT_EQ(world->run(fsync), 0);
        std::array<std::byte, 16> buffer{};
        ReadOp read(fd, buffer, 0);
        EXPECT_EQ(world->run(read), 4);
        world->close(fd);
    }
    void use_the_rest() {
        WorkOp work([](WorkOp&) noexcept -> std::int32_t { return 3; });
        EXPECT_EQ(world->run(work), 3);
        WakeOp wake;
        world->app.start(wake);
        wake.ring();
        world->turn_until_rung(wake);
        EXPECT_EQ(world->cancel(wake), cancelled_result);
        SignalOp signal(SIGUSR1);
        world->app.start(signal);
        world->settle();
        world->raise(SIGUSR1);
        while (signal.take_count() == 0) world->turn();
        EXPECT_EQ(world->cancel(signal), cancelled_result);
        world->app.rung.clear();
    }
};
GYRE_ON_PLATFORMS(Interruptions, gyre::test::real_platforms);

TEST_P(Interruptions, change_no_result_of_any_op) {
    const Hammer hammer;
    constexpr std::uint64_t hit_count = 500;
    while (hits < hit_count && !HasFailure()) {
        talk();
        post();
        watch();
        use_files();
        use_the_rest();
    }
    EXPECT_GE(hits, hit_count);
}

}  // namespace
}  // namespace gyre::test
