// SPDX-License-Identifier: Apache-2.0
// WorkerPool<A>: several actors of one class behind one door. A value: each copy counts its own
// round. One thread at a time; the workers are actors of the system, or children of the actor that
// made it.
//
//     auto pool = WorkerPool<Resizer>::spawn(system, {.count = 4, .worker = {.place =
//     Place::spread()}}); co_await pool.next().ask(Resize{image});          // by the routing
//     pool.of(user_id).send(Note{...});                 // one key, always the same worker
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
    ActorOptions worker = {};  // a name gets a number behind it
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
    // By a function that makes a worker: for children.
    template <class Make>
    static WorkerPool make(const PoolOptions& options, Make make_worker) {
        GYRE_ASSERT(options.count > 0, "a pool has at least one worker");
        WorkerPool pool;
        pool.routing_ = options.routing;
        for (std::size_t i = 0; i < options.count; ++i) {
            ActorOptions worker = options.worker;
            if (!worker.name.empty()) worker.name.append(" ").append(std::to_string(i + 1));
            pool.workers_.push_back(make_worker(std::move(worker)));
        }
        return pool;
    }

    // The worker whose turn it is, or the one with the fewest messages; one that has ended only
    // where all have.
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
