// SPDX-License-Identifier: Apache-2.0
// bench_actor: gyre's own rows of the group actor; bench/actor_sizes.hpp says what they are. Called
// by bench/run.py; see protocol.hpp.
#include <memory>
#include <vector>

#include "bench/actor/two_threads.hpp"
#include "bench/actor_sizes.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/actor/actor.hpp"

namespace gyre::bench {
namespace {

using actor::Actor;
using actor::Ref;
using actor::System;

// Runs the body on a loop with a system, until it and all actors have ended.
template <class Body>
void with_loop(Body body) {
    RealLoop<Executor> real{LoopOptions{}};
    const auto main = [&body]() { return actor::with_actors(std::move(body)); };
    real.app.root().spawn(main);
    static_cast<void>(real.loop.run());
}

std::uint64_t message_count(const Run& run) {
    return run.is_quick() ? 200'000 : 2'000'000;
}

void must(const Result<void>& sent) {
    if (!sent) std::abort();
}

struct Token {
    std::uint64_t left;
};

// Hands a token on until it is used up; ping-pong is a ring of two.
class Stop : public Actor<Stop> {
public:
    void handle(Ref<Stop> next) { next_ = std::move(next); }
    void handle(Token token) {
        if (token.left > 0) must(next_.send(Token{token.left - 1}));
        if (token.left <= 1) stop();
    }

private:
    Ref<Stop> next_;
};

template <std::uint64_t size>
void measure_ring(Run& run, const char* name) {
    const std::uint64_t count = message_count(run);
    for (int pass = 0; pass < 5; ++pass) {
        Stopwatch stopwatch;
        with_loop([&](System& system) -> Future<void> {
            std::vector<Ref<Stop>> ring;
            for (std::uint64_t i = 0; i < size; ++i) ring.push_back(system.spawn<Stop>());
            for (std::uint64_t i = 0; i < size; ++i) must(ring[i].send(ring[(i + 1) % size]));
            co_await yield();
            co_await yield();
            stopwatch = Stopwatch();
            must(ring[0].send(Token{count}));
            co_await ring[count % size].ended();
        });
        run.report(name, stopwatch.lap_ns_per(count));
    }
}

struct Go {};
class Source;
struct Item {
    std::uint64_t value;
};
// The last of a window, behind which the source goes on.
struct WindowEnd {
    Ref<Source> source;
};
class Sink : public Actor<Sink> {
public:
    void handle(Item item) { sum_ += item.value; }
    void handle(WindowEnd end);
    std::uint64_t handle(Go) { return sum_; }

private:
    std::uint64_t sum_ = 0;
};
class Source : public Actor<Source> {
public:
    Source(Ref<Sink> sink, std::uint64_t count) : sink_(std::move(sink)), left_(count) {}
    void handle(Go) {
        for (std::uint64_t i = 0; i < counting_window && left_ > 0; ++i, --left_) {
            must(sink_.send(Item{left_}));
        }
        if (left_ > 0) {
            must(sink_.send(WindowEnd{self()}));
        } else {
            stop();
        }
    }

private:
    const Ref<Sink> sink_;
    std::uint64_t left_;
};
void Sink::handle(WindowEnd end) {
    must(end.source.send(Go{}));
}

void measure_counting(Run& run) {
    const std::uint64_t count = message_count(run);
    for (int pass = 0; pass < 5; ++pass) {
        with_loop([&](System& system) -> Future<void> {
            const auto sink = system.spawn<Sink>();
            const auto source = system.spawn<Source>(sink, count);
            Stopwatch stopwatch;
            must(source.send(Go{}));
            co_await source.ended();
            const std::uint64_t sum = co_await sink.ask(Go{});
            run.report("actor_counting", stopwatch.lap_ns_per(count));
            if (sum != count * (count + 1) / 2) std::abort();
        });
    }
}

class Once : public Actor<Once> {
public:
    explicit Once(std::uint64_t* seen) : seen_(seen) {}
    void handle(Item item) {
        *seen_ += item.value;
        stop();
    }

private:
    std::uint64_t* seen_;
};

void measure_create(Run& run) {
    keep_freed_memory();
    for (int pass = 0; pass < 8; ++pass) {
        with_loop([&](System& system) -> Future<void> {
            std::uint64_t seen = 0;
            Stopwatch stopwatch;
            for (std::uint64_t i = 0; i < create_count; ++i) {
                must(system.spawn<Once>(&seen).send(Item{1}));
            }
            while (seen < create_count) co_await yield();
            run.report("actor_create", stopwatch.lap_ns_per(create_count));
        });
    }
}

void measure_idle(Run& run) {
    with_loop([&](System& system) -> Future<void> {
        std::vector<Ref<Sink>> sinks;
        sinks.reserve(create_count);
        const HeapMeter meter;
        for (std::uint64_t i = 0; i < create_count; ++i) sinks.push_back(system.spawn<Sink>());
        run.report("actor_idle", meter.bytes_per(create_count));
        co_return;
    });
}

struct Ping {
    std::uint64_t from;
};
struct Pong {};
class Peer : public Actor<Peer> {
public:
    Peer(std::uint64_t index, std::uint64_t rounds) : index_(index), rounds_left_(rounds) {}
    void handle(std::shared_ptr<const std::vector<Ref<Peer>>> peers) { peers_ = std::move(peers); }
    void handle(Go) {
        for (std::uint64_t i = 0; i < peers_->size(); ++i) {
            if (i != index_) must((*peers_)[i].send(Ping{index_}));
        }
    }
    void handle(Ping ping) { must((*peers_)[ping.from].send(Pong{})); }
    void handle(Pong) {
        if (++pongs_ < peers_->size() - 1) return;
        pongs_ = 0;
        if (--rounds_left_ > 0) must(self().send(Go{}));
    }

private:
    const std::uint64_t index_;
    std::uint64_t rounds_left_;
    std::uint64_t pongs_ = 0;
    std::shared_ptr<const std::vector<Ref<Peer>>> peers_;
};

void measure_big(Run& run) {
    const std::uint64_t each_round = big_actor_count * (big_actor_count - 1) * 2;
    const std::uint64_t rounds = message_count(run) / each_round;
    for (int pass = 0; pass < 5; ++pass) {
        Stopwatch stopwatch;
        with_loop([&](System& system) -> Future<void> {
            auto peers = std::make_shared<std::vector<Ref<Peer>>>();
            for (std::uint64_t i = 0; i < big_actor_count; ++i) {
                peers->push_back(system.spawn<Peer>(i, rounds));
            }
            const std::shared_ptr<const std::vector<Ref<Peer>>> all = peers;
            stopwatch = Stopwatch();
            for (const auto& peer : *peers) must(peer.send(all));
            for (const auto& peer : *peers) must(peer.send(Go{}));
            const std::uint64_t target =
                rounds * each_round + big_actor_count * (1 + rounds);  // and what begins it
            for (std::uint64_t handled = 0; handled < target;) {
                co_await yield();
                handled = 0;
                for (const auto& peer : *peers) handled += peer.counts().handled;
            }
        });
        run.report("actor_big", stopwatch.lap_ns_per(rounds * each_round));
    }
}

struct Deposit {
    std::int64_t amount;
};
class Account : public Actor<Account> {
public:
    std::int64_t handle(Deposit deposit) { return balance_ += deposit.amount; }

private:
    std::int64_t balance_ = 0;
};

void measure_bank(Run& run) {
    const std::uint64_t count = message_count(run) / 8;
    for (int pass = 0; pass < 5; ++pass) {
        with_loop([&](System& system) -> Future<void> {
            std::vector<Ref<Account>> accounts;
            for (std::uint64_t i = 0; i < account_count; ++i) {
                accounts.push_back(system.spawn<Account>());
            }
            Stopwatch stopwatch;
            for (std::uint64_t i = 0; i < count; ++i) {
                const Deposit out{-1};
                const Deposit in{1};
                static_cast<void>(co_await accounts[i % account_count].ask(out));
                static_cast<void>(co_await accounts[(i + 7) % account_count].ask(in));
            }
            run.report("actor_bank", stopwatch.lap_ns_per(count));
        });
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{{"actor_ping_pong"}, [](Run& run) { measure_ring<2>(run, "actor_ping_pong"); }},
          {{"actor_ping_pong_2"}, measure_ping_pong_2},
          {{"actor_ring"}, [](Run& run) { measure_ring<ring_size>(run, "actor_ring"); }},
          {{"actor_counting"}, measure_counting},
          {{"actor_create"}, measure_create},
          {{"actor_big"}, measure_big},
          {{"actor_bank"}, measure_bank},
          {{"actor_idle"}, measure_idle}}});
}
