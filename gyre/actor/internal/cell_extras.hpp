// SPDX-License-Identifier: Apache-2.0
// Cell::Extras: the state of a Cell that few actors need (children, watchers, links, waiting
// posters, the stash, restarts), so that it costs the others one pointer. Its cell makes it on
// first use and owns it; only the thread of the actor's loop.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "gyre/actor/detail/cell.hpp"
#include "gyre/actor/detail/reply.hpp"
#include "gyre/actor/system.hpp"

namespace gyre::actor {

struct Cell::Extras : Pooled {
    struct Watcher {
        AnyRef who;
        MakeTerminated tell;
    };
    struct Poster {
        Envelope* envelope;
        Acknowledgement* acknowledgement;
    };

    std::vector<AnyRef> children;
    std::vector<Watcher> watchers;
    std::vector<AnyRef> links;
    OpQueue end_waiters;          // Acknowledgements
    std::vector<Poster> posters;  // the oldest first
    std::uint32_t poster_count_max = MailboxOptions().poster_count_max;
    Mail stashed;
    std::uint32_t stashed_count = 0;
    std::uint32_t stash_max = ActorOptions().stash_max;
    std::exception_ptr failure;  // the actor ends with it
    RestartOptions restart;
    Instant window_start;
    std::uint32_t window_count = 0;
    std::uint64_t restart_count = 0;
    std::uint64_t dropped_count = 0;
    Duration busy{0};
    bool is_children_told = false;
};

}  // namespace gyre::actor
