// SPDX-License-Identifier: Apache-2.0
// Random operations on random handles, for a simulated day, and with GYRE_TEST_LONG=1 for a real
// minute: at the end handles, ops, descriptors and memory are back where they were.
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "gyre/base/random.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/handle/udp.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;
using test::HandleWorld;

std::size_t open_descriptors(HandleWorld& world) {
    if (!world.is_real()) {
        return static_cast<std::size_t>(world.simulated->descriptor_count());
    }
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// A crowd of handles that come and go. Each frees itself in its close callback.
class Crowd {
public:
    Crowd(HandleWorld& world, std::uint64_t seed, Duration longest)
        : loop_(world.loop()), random_(seed), longest_(longest) {}

    [[nodiscard]] int population() const noexcept { return population_; }
    [[nodiscard]] std::uint64_t acts() const noexcept { return acts_; }
    [[nodiscard]] int requests() const noexcept { return requests_; }

    void act() {
        ++acts_;
        if (population_ > 200) return;
        switch (random_.below(9)) {
            case 0:
                return add_timer();
            case 1:
                return add_hook<Idle>();
            case 2:
                return add_hook<Check>();
            case 3:
                return add_async();
            case 4:
                return add_signal();
            case 5:
                return add_work();
            case 6:
                return add_streams();
            case 7:
                return add_datagrams();
            default:
                return add_listener();
        }
    }

private:
    template <class T, class... Args>
    T& make(Args&&... args) {
        ++population_;
        return *new T(loop_, std::forward<Args>(args)...);
    }
    template <class T>
    void leave(T& handle) {
        if (handle.is_closing()) return;
        handle.close([this](Handle& closed) {
            --population_;
            delete static_cast<T*>(&closed);
        });
    }
    Duration delay() {
        return Duration(static_cast<std::int64_t>(
            random_.below(static_cast<std::uint64_t>(longest_.count())) + 1));
    }

    void add_timer() {
        auto& timer = make<Timer>();
        const bool repeats = random_.one_in(2);
        timer.start(
            [this](Timer& self) {
                if (self.is_active() && !random_.one_in(3)) return;
                leave(self);
            },
            delay(), repeats ? delay() : Duration(0));
        if (random_.one_in(4)) timer.set_repeat(delay());
    }
    template <class T>
    void add_hook() {
        make<T>().start([this](T& self) {
            if (random_.one_in(2)) leave(self);
        });
    }
    void add_async() {
        auto& async = make<Async>();
        async.start([this](Async& self) {
            if (random_.one_in(2)) {
                leave(self);
            } else {
                self.send();
            }
        });
        async.send();
    }
    void add_signal() {
        auto& signal = make<Signal>();
        signal.start([](Signal&, Result<int>) {}, 12);
        if (random_.one_in(2)) signal.stop();
        leave(signal);
    }
    void add_work() {
        ++requests_;
        auto* work = new Work(loop_);
        work->queue([] {},
                    [this](Work& self, Status) {
                        --requests_;
                        delete &self;
                    });
        if (random_.one_in(3)) work->cancel();
    }

    struct Talk {
        std::array<std::byte, 256> into{};
        std::string text;
        Write write;
        Shutdown shutdown;
        int open = 2;
    };
    void add_streams() {
        const auto pair = loop_.sockets().connection_pair();
        if (!pair) return;
        auto* talk = new Talk;
        talk->text.assign(random_.below(100'000) + 1, 'x');
        auto& near = make<Pipe>();
        auto& far = make<Pipe>();
        near.open((*pair)[0]);
        far.open((*pair)[1]);
        const auto hang_up = [this, talk](StreamHandle& stream) {
            if (stream.is_closing()) return;
            stream.close([this, talk](Handle& closed) {
                --population_;
                delete static_cast<Pipe*>(&closed);
                if (--talk->open == 0) delete talk;
            });
        };
        far.read_start(talk->into, [this, hang_up](StreamHandle& self, Result<ConstBytes> bytes) {
            if (!bytes || bytes->empty() || random_.one_in(200)) hang_up(self);
        });
        near.write(
            talk->write, bytes_of(talk->text), [this, talk, hang_up](Write& done, Status status) {
                StreamHandle& stream = done.stream();
                if (!status || random_.one_in(2)) return hang_up(stream);
                if (!stream
                         .shutdown(talk->shutdown,
                                   [hang_up](Shutdown& shut, Status) { hang_up(shut.stream()); })
                         .get()) {
                    hang_up(stream);
                }
            });
    }
    // Either end may close with queued sends, a receive in flight or a closed peer.
    struct Post {
        std::array<std::byte, 64> into{};
        std::array<UdpSend, 20> sends;
        std::size_t sends_left = 0;
        Udp* far = nullptr;  // until it is closed
        int open = 2;
    };
    void leave_post(Udp& udp, Post& post) {
        if (udp.is_closing()) return;
        udp.close([this, &post](Handle& closed) {
            --population_;
            if (&closed == post.far) post.far = nullptr;
            delete static_cast<Udp*>(&closed);
            if (--post.open == 0) delete &post;
        });
    }
    void add_datagrams() {
        auto& near = make<Udp>();
        auto& far = make<Udp>();
        auto* post = new Post;
        if (!far.bind(Address::loopback()).get()) {
            leave_post(near, *post);
            return leave_post(far, *post);
        }
        post->far = &far;
        const Address at = far.local_address().value();
        const bool is_connected = random_.one_in(2) && near.connect(at).get().has_value();
        far.receive_start(post->into, [this, post](Udp& self, Result<Udp::Received>) {
            if (random_.one_in(10)) return leave_post(self, *post);
            if (!random_.one_in(3)) return;
            self.receive_stop();
            self.receive_start(post->into, [this, post](Udp& again, Result<Udp::Received>) {
                if (random_.one_in(5)) leave_post(again, *post);
            });
        });
        for (UdpSend& send : post->sends) {
            const Address to = is_connected ? Address() : at;
            const auto on_done = [this, post](UdpSend& done, Status) {
                if (--post->sends_left > 0 && !random_.one_in(50)) return;
                leave_post(done.handle(), *post);
                if (post->sends_left == 0 && post->far != nullptr) leave_post(*post->far, *post);
            };
            if (near.send(send, bytes_of("datagram"), to, on_done).get()) ++post->sends_left;
        }
        if (post->sends_left > 0) return;
        leave_post(near, *post);
        leave_post(far, *post);
    }
    void add_listener() {
        auto& listener = make<ListenerHandle>();
        if (!listener.listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get()) {
            return leave(listener);
        }
        auto& client = make<Tcp>();
        auto* connect = new Connect;
        ++requests_;
        const auto at = listener.local_address();
        const bool has_started = client
                                     .connect(*connect, *at,
                                              [this, &listener](Connect& done, Status) {
                                                  --requests_;
                                                  leave(listener);
                                                  leave(static_cast<Tcp&>(done.stream()));
                                                  delete &done;
                                              })
                                     .get()
                                     .has_value();
        if (has_started) return;
        --requests_;
        delete connect;
        leave(listener);
        leave(client);
    }

    PhasedLoop& loop_;
    Random random_;
    const Duration longest_;
    int population_ = 0;
    int requests_ = 0;
    std::uint64_t acts_ = 0;
};

constexpr std::uint64_t acts_min = 100;

// Runs random operations until the time is over, then waits until all handles are closed.
std::uint64_t soak(HandleWorld& world, std::uint64_t seed, Duration span, Duration longest) {
    PhasedLoop& loop = world.loop();
    const std::size_t descriptors = open_descriptors(world);
    Crowd crowd(world, seed, longest);
    const Instant end = loop.now() + span;
    Timer pace(loop);
    pace.start(
        [&](Timer& self) {
            for (int i = 0; i < 5; ++i) crowd.act();
            // Not by the time alone: on a slow machine little fits in.
            if (loop.now() >= end && crowd.acts() > acts_min) self.close();
        },
        0ms, longest / 50);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(crowd.population(), 0);
    EXPECT_EQ(crowd.requests(), 0);
    EXPECT_EQ(loop.active_handle_count(), 0u);
    EXPECT_EQ(loop.active_request_count(), 0u);
    EXPECT_EQ(loop.closing_handle_count(), 0u);
    EXPECT_EQ(loop.ops_in_flight(), 0u);
    EXPECT_EQ(open_descriptors(world), descriptors);
    return crowd.acts();
}

std::size_t used_bytes() {
    return ::mallinfo2().uordblks;
}

TEST(HandleSoak, a_simulated_day_leaves_nothing_behind) {
    HandleWorld world("sim");
    soak(world, 1, 1h, 10min);  // Warms up tables and pools, which are kept.
    const std::size_t before = used_bytes();
    EXPECT_GT(soak(world, 2, 24h, 10min), 10'000u);
    EXPECT_LE(used_bytes(), before + (std::size_t{256} << 10u));
}

GYRE_HANDLES_FOR_REAL(HandleSoakForReal);
TEST_P(HandleSoakForReal, leaves_nothing_behind) {
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    soak(world, 3, 100ms, 5ms);
    const std::size_t before = used_bytes();
    soak(world, 4, is_long ? Duration(1min) : Duration(200ms), 5ms);
    EXPECT_LE(used_bytes(), before + (std::size_t{1} << 20u));
}

}  // namespace
}  // namespace gyre::handle
