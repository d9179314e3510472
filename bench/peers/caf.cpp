// SPDX-License-Identifier: Apache-2.0
// bench_peer_caf_actor: the rows of the group actor with CAF, the C++ Actor Framework, on a
// scheduler of one thread (two for actor_ping_pong_2). bench/actor_sizes.hpp says what they are.
#include <caf/all.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/actor_sizes.hpp"
#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

using caf::actor;
using caf::behavior;
using caf::event_based_actor;

struct System {
    explicit System(std::uint64_t threads) { config.set("scheduler.max-threads", threads); }
    caf::actor_system_config config;
};

// Runs the body with a system and waits for its actors to end.
template <class Body>
void with_system(std::uint64_t threads, Body body) {
    System made(threads);
    caf::actor_system system(made.config);
    {
        const caf::scoped_actor self(system);
        body(system, self);
    }
    system.await_all_actors_done();
}

std::uint64_t message_count(const Run& run) {
    return run.is_quick() ? 200'000 : 2'000'000;
}

class Stop : public event_based_actor {
public:
    Stop(caf::actor_config& config, actor main)
        : event_based_actor(config), main_(std::move(main)) {}
    behavior make_behavior() override {
        return {
            [this](const actor& next) { next_ = next; },
            [this](std::uint64_t left) { left > 0 ? send(next_, left - 1) : send(main_, left); }};
    }
    void on_exit() override {
        next_ = nullptr;
        main_ = nullptr;
    }

private:
    actor main_;
    actor next_;
};

void measure_ring(Run& run, const char* name, std::uint64_t size, std::uint64_t threads) {
    const std::uint64_t count = message_count(run);
    for (int pass = 0; pass < 3; ++pass) {
        with_system(threads, [&](caf::actor_system& system, const caf::scoped_actor& self) {
            std::vector<actor> ring;
            for (std::uint64_t i = 0; i < size; ++i) {
                ring.push_back(system.spawn<Stop>(caf::actor_cast<actor>(self)));
            }
            for (std::uint64_t i = 0; i < size; ++i) caf::anon_send(ring[i], ring[(i + 1) % size]);
            Stopwatch stopwatch;
            caf::anon_send(ring[0], count);
            self->receive([](std::uint64_t) {});
            run.report(name, stopwatch.lap_ns_per(count));
            for (const actor& stop : ring) {
                caf::anon_send_exit(stop, caf::exit_reason::user_shutdown);
            }
        });
    }
}

class Sink : public event_based_actor {
public:
    explicit Sink(caf::actor_config& config) : event_based_actor(config) {}
    behavior make_behavior() override {
        return {[this](std::uint64_t value) { sum_ += value; },
                [this](const actor& source) { send(source, true); }, [this](bool) { return sum_; }};
    }

private:
    std::uint64_t sum_ = 0;
};
class Source : public event_based_actor {
public:
    Source(caf::actor_config& config, actor sink, std::uint64_t count, actor main)
        : event_based_actor(config), sink_(std::move(sink)), left_(count), main_(std::move(main)) {}
    behavior make_behavior() override {
        return {[this](bool) {
            for (std::uint64_t i = 0; i < counting_window && left_ > 0; ++i, --left_) {
                send(sink_, left_);
            }
            if (left_ > 0) {
                send(sink_, caf::actor_cast<actor>(this));
                return;
            }
            send(main_, true);
            quit();
        }};
    }
    void on_exit() override {
        sink_ = nullptr;
        main_ = nullptr;
    }

private:
    actor sink_;
    std::uint64_t left_;
    actor main_;
};

void measure_counting(Run& run) {
    const std::uint64_t count = message_count(run);
    for (int pass = 0; pass < 3; ++pass) {
        with_system(1, [&](caf::actor_system& system, const caf::scoped_actor& self) {
            const actor sink = system.spawn<Sink>();
            const actor source = system.spawn<Source>(sink, count, caf::actor_cast<actor>(self));
            Stopwatch stopwatch;
            caf::anon_send(source, true);
            self->receive([](bool) {});
            std::uint64_t sum = 0;
            self->request(sink, caf::infinite, true)
                .receive([&](std::uint64_t value) { sum = value; },
                         [](const caf::error&) { std::abort(); });
            run.report("actor_counting", stopwatch.lap_ns_per(count));
            if (sum != count * (count + 1) / 2) std::abort();
            caf::anon_send_exit(sink, caf::exit_reason::user_shutdown);
        });
    }
}

class Once : public event_based_actor {
public:
    Once(caf::actor_config& config, std::atomic<std::uint64_t>* seen)
        : event_based_actor(config), seen_(seen) {}
    behavior make_behavior() override {
        return {[this](std::uint64_t value) {
            *seen_ += value;
            quit();
        }};
    }

private:
    std::atomic<std::uint64_t>* seen_;
};

void measure_create(Run& run) {
    keep_freed_memory();
    for (int pass = 0; pass < 3; ++pass) {
        with_system(1, [&](caf::actor_system& system, const caf::scoped_actor&) {
            std::atomic<std::uint64_t> seen = 0;
            Stopwatch stopwatch;
            for (std::uint64_t i = 0; i < create_count; ++i) {
                caf::anon_send(system.spawn<Once>(&seen), std::uint64_t{1});
            }
            while (seen < create_count) std::this_thread::yield();
            run.report("actor_create", stopwatch.lap_ns_per(create_count));
        });
    }
}

void measure_idle(Run& run) {
    with_system(1, [&](caf::actor_system& system, const caf::scoped_actor&) {
        std::vector<actor> sinks;
        sinks.reserve(create_count);
        const HeapMeter meter;
        for (std::uint64_t i = 0; i < create_count; ++i) sinks.push_back(system.spawn<Sink>());
        run.report("actor_idle", meter.bytes_per(create_count));
        for (const actor& sink : sinks) {
            caf::anon_send_exit(sink, caf::exit_reason::user_shutdown);
        }
    });
}

using Peers = std::shared_ptr<std::vector<actor>>;

class Peer : public event_based_actor {
public:
    Peer(caf::actor_config& config, Peers peers, std::uint64_t index, std::uint64_t rounds,
         std::atomic<std::uint64_t>* ended)
        : event_based_actor(config),
          peers_(std::move(peers)),
          index_(index),
          rounds_left_(rounds),
          ended_(ended) {}
    behavior make_behavior() override {
        return {[this](bool) { ping_all(); },
                [this](std::uint64_t from) { send((*peers_)[from], std::uint32_t{1}); },
                [this](std::uint32_t) {
                    if (++pongs_ < peers_->size() - 1) return;
                    pongs_ = 0;
                    --rounds_left_ > 0 ? send(this, true) : static_cast<void>(++*ended_);
                }};
    }
    void on_exit() override { peers_ = nullptr; }

private:
    void ping_all() {
        for (std::uint64_t i = 0; i < peers_->size(); ++i) {
            if (i != index_) send((*peers_)[i], index_);
        }
    }

    Peers peers_;
    const std::uint64_t index_;
    std::uint64_t rounds_left_;
    std::atomic<std::uint64_t>* ended_;
    std::uint64_t pongs_ = 0;
};

void measure_big(Run& run) {
    const std::uint64_t each_round = big_actor_count * (big_actor_count - 1) * 2;
    const std::uint64_t rounds = message_count(run) / each_round;
    for (int pass = 0; pass < 3; ++pass) {
        with_system(1, [&](caf::actor_system& system, const caf::scoped_actor&) {
            std::atomic<std::uint64_t> ended = 0;
            auto peers = std::make_shared<std::vector<actor>>();
            for (std::uint64_t i = 0; i < big_actor_count; ++i) {
                peers->push_back(system.spawn<Peer>(peers, i, rounds, &ended));
            }
            Stopwatch stopwatch;
            for (const actor& peer : *peers) caf::anon_send(peer, true);
            while (ended < big_actor_count) std::this_thread::yield();
            run.report("actor_big", stopwatch.lap_ns_per(rounds * each_round));
            for (const actor& peer : *peers) {
                caf::anon_send_exit(peer, caf::exit_reason::user_shutdown);
            }
        });
    }
}

class Account : public event_based_actor {
public:
    explicit Account(caf::actor_config& config) : event_based_actor(config) {}
    behavior make_behavior() override {
        return {[this](std::int64_t amount) { return balance_ += amount; }};
    }

private:
    std::int64_t balance_ = 0;
};
class Teller : public event_based_actor {
public:
    Teller(caf::actor_config& config, std::vector<actor> accounts, std::uint64_t count, actor main)
        : event_based_actor(config),
          accounts_(std::move(accounts)),
          count_(count),
          main_(std::move(main)) {}
    behavior make_behavior() override {
        return {[this](bool) { transfer(0); }};
    }
    void on_exit() override {
        accounts_.clear();
        main_ = nullptr;
    }

private:
    void transfer(std::uint64_t i) {
        if (i == count_) {
            send(main_, true);
            quit();
            return;
        }
        request(accounts_[i % account_count], caf::infinite, std::int64_t{-1})
            .then([this, i](std::int64_t) {
                request(accounts_[(i + 7) % account_count], caf::infinite, std::int64_t{1})
                    .then([this, i](std::int64_t) { transfer(i + 1); });
            });
    }

    std::vector<actor> accounts_;
    const std::uint64_t count_;
    actor main_;
};

void measure_bank(Run& run) {
    const std::uint64_t count = message_count(run) / 8;
    for (int pass = 0; pass < 3; ++pass) {
        with_system(1, [&](caf::actor_system& system, const caf::scoped_actor& self) {
            std::vector<actor> accounts;
            for (std::uint64_t i = 0; i < account_count; ++i) {
                accounts.push_back(system.spawn<Account>());
            }
            const actor teller =
                system.spawn<Teller>(accounts, count, caf::actor_cast<actor>(self));
            Stopwatch stopwatch;
            caf::anon_send(teller, true);
            self->receive([](bool) {});
            run.report("actor_bank", stopwatch.lap_ns_per(count));
            for (const actor& account : accounts) {
                caf::anon_send_exit(account, caf::exit_reason::user_shutdown);
            }
        });
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{{"actor_ping_pong"}, [](Run& run) { measure_ring(run, "actor_ping_pong", 2, 1); }},
          {{"actor_ping_pong_2"}, [](Run& run) { measure_ring(run, "actor_ping_pong_2", 2, 2); }},
          {{"actor_ring"}, [](Run& run) { measure_ring(run, "actor_ring", ring_size, 1); }},
          {{"actor_counting"}, measure_counting},
          {{"actor_create"}, measure_create},
          {{"actor_big"}, measure_big},
          {{"actor_bank"}, measure_bank},
          {{"actor_idle"}, measure_idle}}});
}
