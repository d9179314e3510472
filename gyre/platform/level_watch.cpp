// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <array>

#include "gyre/platform/internal/level_watch.hpp"
#include "gyre/platform/io_calls.hpp"

namespace gyre::platform {
namespace {

// What one call asks about: few enough for the stack, enough to make the call's own cost small.
constexpr std::size_t asked_at_once_max = 128;

}  // namespace

short LevelWatch::mask_of(const ReadinessOp& op) noexcept {
    int mask = 0;
    if (any(op.wanted & Events::readable)) mask |= POLLIN;
    if (any(op.wanted & Events::writable)) mask |= POLLOUT;
    if (any(op.wanted & Events::priority)) mask |= POLLPRI;
    if (any(op.wanted & Events::hang_up)) mask |= POLLRDHUP;
    return static_cast<short>(mask);
}

bool LevelWatch::note(ReadinessOp& op, int mask) noexcept {
    const int of_interest = mask & (mask_of(op) | POLLERR | POLLHUP);
    if (of_interest == 0) return false;
    op.happened = events_of_mask(of_interest) & (op.wanted | Events::hang_up | Events::error);
    return true;
}

bool LevelWatch::ask(Desk& desk) noexcept {
    Queue<ReadinessOp, LookLinks> batch;
    batch.take_all(ops_);
    bool is_one_ready = false;
    while (!batch.empty()) {
        std::array<pollfd, asked_at_once_max> queries;
        std::array<ReadinessOp*, asked_at_once_max> asked;
        std::size_t count = 0;
        while (count < asked_at_once_max && !batch.empty()) {
            ReadinessOp& op = *batch.pop_front();
            queries[count] = {op.fd, mask_of(op), 0};
            asked[count] = &op;
            ++count;
        }
        // Interrupted, or the system is short of memory: they are asked about again at once.
        const bool has_failed = ::poll(queries.data(), count, 0) < 0;
        for (std::size_t i = 0; i < count; ++i) {
            ReadinessOp& op = *asked[i];
            const short answer = queries[i].revents;
            if (has_failed) {
                ops_.push_back(op);
                is_one_ready = true;
            } else if ((answer & POLLNVAL) != 0) {
                desk.on_level_failed(op, failure(std::errc::bad_file_descriptor));
                is_one_ready = true;
            } else if (note(op, answer)) {
                ops_.push_back(op);
                desk.on_level_ready(op);
                is_one_ready = true;
            } else {
                desk.on_level_quiet(op);
            }
        }
    }
    return is_one_ready;
}

}  // namespace gyre::platform
