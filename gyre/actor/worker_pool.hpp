// SPDX-License-Identifier: Apache-2.0
// WorkerPool<A>: several actors of one class, and the choice of one of them for each message.
//
//     auto pool = WorkerPool<Resizer>::spawn(
//         system, {.count = 4, .worker = {.place = Place::spread()}});
//     const Resize resize{image};
//     const Note note{"hello"};
//     co_await pool.next().ask(resize);          // chosen by the routing
//     co_await pool.of(user_id).post(note);      // one key, always the same worker
//
// Thread: one thread at a time.
// Lifetime: a value; each copy has its own round-robin position. The workers are actors of the
// system, or children of the actor that makes the pool; they may end before it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/actor/actor.hpp"

namespace gyre::actor {

enum class Routing : std::uint8_t { round_robin, least_loaded };

struct PoolOptions {
    std::size_t count = 4;
    Routing routing = Routing::round_robin;
    ActorOptions worker = {};  // each worker's name gets a number appended
};

template <class A>
class WorkerPool {
public:
    template <class... Args>
    static WorkerPool spawn(System& system, PoolOptions options, const Args&... args) {
        return make(options, [&](ActorOptions worker) {
            return system.spawn_with<A>(std::move(worker), args...);
        });
    }
    // Calls the function for each worker: for children (Actor::spawn_child_with).
    template <class Make>
    static WorkerPool make(const PoolOptions& options, Make make_worker) {
        GYRE_ASSERT(options.count > 0, "a pool needs at least one worker: set PoolOptions::count");
        WorkerPool pool;
        pool.routing_ = options.routing;
        for (std::size_t i = 0; i < options.count; ++i) {
            ActorOptions worker = options.worker;
            if (!worker.name.empty()) worker.name.append(" ").append(std::to_string(i + 1));
            pool.workers_.push_back(make_worker(std::move(worker)));
        }
        return pool;
    }

    // The next worker, or the one with the fewest messages. A worker that has ended is chosen only
    // when all have.
    [[nodiscard]] const Ref<A>& next() {
        const std::size_t first = turn_++;
        const Ref<A>* best = nullptr;
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            const Ref<A>& worker = workers_[(first + i) % workers_.size()];
            if (worker.is_ended()) continue;
            if (routing_ == Routing::round_robin) return worker;
            if (best == nullptr || worker.mailbox_length() < best->mailbox_length()) best = &worker;
        }
        return best != nullptr ? *best : workers_[first % workers_.size()];
    }
    // Always the same for the same key.
    template <class Key>
    [[nodiscard]] const Ref<A>& of(const Key& key) const {
        return workers_[std::hash<Key>()(key) % workers_.size()];
    }
    [[nodiscard]] const std::vector<Ref<A>>& workers() const noexcept { return workers_; }

private:
    WorkerPool() = default;

    std::vector<Ref<A>> workers_;
    Routing routing_ = Routing::round_robin;
    std::size_t turn_ = 0;
};

}  // namespace gyre::actor
