// SPDX-License-Identifier: Apache-2.0
// The programs that tools/walks measures, one for each walk. Each waits for the same external event
// again and again; the first line of user code calls walks::reached.
//
//     walks NAME...       on the platform that GYRE_PLATFORM names; exits with 2 if it is refused
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gyre/actor/actor.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/http/server.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/async.hpp"
#include "gyre/task/core/run.hpp"
#include "tests/walks/marks.hpp"

using namespace gyre;
using namespace std::chrono_literals;

namespace {

platform::SystemClock system_clock;

std::unique_ptr<Platform> make_platform() {
    auto made = platform::make_platform(system_clock);
    if (made) return std::move(*made);
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    std::exit(2);
}

template <class F>
void run_tasks(F main) {
    const auto platform = make_platform();
    run(*platform, main, {.handles_signals = false});
}

// The other end of a TCP connection, by plain system calls.
class Peer {
public:
    explicit Peer(const Address& to) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const sockaddr_in at{.sin_family = AF_INET,
                             .sin_port = htons(to.port()),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                             .sin_zero = {}};
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) std::abort();
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() { ::close(fd_); }

    void send(std::string_view text) const {
        if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) < 0) std::abort();
    }
    // True if something had arrived; drops it.
    [[nodiscard]] bool receive() const {
        std::array<char, 4096> text;
        return ::recv(fd_, text.data(), text.size(), MSG_DONTWAIT) > 0;
    }

private:
    int fd_;
};

void tcp_read() {
    run_tasks([]() -> Future<void> {
        const net::Listener listener = co_await net::listen(Address::loopback());
        const Peer peer(listener.local_address().value());
        const net::Connection stream = co_await listener.accept();
        walks::set_outside([&] { peer.send("x"); });
        std::array<std::byte, 16> buffer;
        for (;;) {
            (void)co_await stream.read(buffer);
            if (walks::reached()) break;
        }
    });
}

void http_request() {
    run_tasks([]() -> Future<void> {
        // The server's own timer must not fire during the walk.
        http::Server server({.timeouts = {.step = 1h}});
        server.get("/users/:id", [&](http::Request&, http::Response& response) -> Future<void> {
            if (walks::reached()) server.stop();
            response.send("a user");
            co_return;
        });
        net::Listener listener = co_await net::listen(Address::loopback());
        const Peer peer(listener.local_address().value());
        const std::string_view request = "GET /users/7 HTTP/1.1\r\nHost: here\r\n\r\n";
        peer.send(request);
        walks::set_outside([&] {
            if (peer.receive()) peer.send(request);
        });
        co_await server.serve(std::move(listener));
    });
}

void task_sleep() {
    run_tasks([]() -> Future<void> {
        for (;;) {
            co_await sleep(2ms);
            if (walks::reached()) break;
        }
    });
}

struct Clockwork {
    static constexpr effect::ResumeOp<int(int)> later{"walks", "later"};
};

effect::Effectful<int> steps(int count) {
    for (;;) {
        count = co_await effect::perform(Clockwork::later, count);
        if (walks::reached()) break;
    }
    co_return count;
}

void effect_step() {
    const auto platform = make_platform();
    effect::CoroutineGuest guest;
    guest.add("steps", steps);
    effect::Handlers handlers;
    handlers.on(Clockwork::later, [](int count) { return effect::resume(count + 1).after(2ms); });
    Executor executor;
    effect::Scheduler scheduler(executor);
    Loop loop(*platform, executor);
    auto run = scheduler.start<int>(guest, handlers, "steps", {0});
    while (!run.is_terminal()) loop.turn();
    loop.close();
}

void script_timer() {
    const auto platform = make_platform();
    job::Host host;
    job::Scheduler jobs(system_clock, host);
    job::Pump pump(jobs);
    Loop loop(*platform, pump);
    struct Script {
        job::Scheduler& jobs;
        void start_timer() {
            jobs.set_timeout(
                [this] {
                    if (!walks::reached()) start_timer();
                },
                2ms);
        }
    } script{jobs};
    pump.start([&] { script.start_timer(); });
    job::run_to_exit(loop, pump);
    loop.close();
}

void handle_timer() {
    const auto platform = make_platform();
    handle::PhasedLoop loop(*platform);
    handle::Timer timer(loop);
    timer.start(
        [](handle::Timer& self) {
            if (walks::reached()) self.close();
        },
        2ms, 2ms);
    loop.run();
}

struct Question {};
class Oracle : public actor::Actor<Oracle> {
public:
    int handle(Question) { return walks::reached() ? 1 : 0; }
};

void actor_ask() {
    actor::System system;
    const auto ask = [&]() -> Future<void> {
        walks::wait_for_measured_thread();
        const auto oracle = system.spawn_with<Oracle>({.place = actor::Place::on("2")});
        for (;;) {
            walks::wait_for_measured_thread();
            walks::begin_here();
            if (co_await oracle.ask(Question{}) == 1) break;
        }
        system.stop();
    };
    const auto on_started = [&](Runtime& all, Loop& loop, Machine& app) {
        Scope& root = static_cast<Executor&>(app).root();
        system.open(root, std::to_string(loop.thread_id()));
        if (loop.thread_id() == 2) return walks::measure_here("actor_ask");
        root.spawn([&]() -> Future<void> {
            co_await ask();
            all.stop();
        });
    };
    Runtime runtime({.loop_count = 2,
                     .make_platform = [](ThreadId) { return make_platform(); },
                     .make_app = [](ThreadId) { return std::make_unique<Executor>(); },
                     .on_started = on_started,
                     .loop = {.spin_max = Duration(0)}});
    runtime.start().value();
    runtime.join();
}

struct Program {
    std::string_view name;
    void (*run)();
};
constexpr std::array programs = {
    Program{"tcp_read", tcp_read},         Program{"sleep", task_sleep},
    Program{"effect_step", effect_step},   Program{"script_timer", script_timer},
    Program{"actor_ask", actor_ask},       Program{"http_request", http_request},
    Program{"handle_timer", handle_timer},
};

}  // namespace

int main(int argument_count, char** arguments) {
    for (int i = 1; i < argument_count; ++i) {
        for (const Program& program : programs) {
            if (program.name != arguments[i]) continue;
            walks::measure_here(arguments[i]);
            program.run();
        }
    }
}
