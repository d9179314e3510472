// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <array>
#include <utility>

#include "gyre/platform/internal/level_watch.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

namespace gyre::platform {
namespace {

// The descriptors of one poll(2): few enough for the stack, enough to make the cost of the call
// small.
constexpr std::size_t asked_at_once_max = 128;

// A table over all sets of events: it is used for every event of a descriptor.
constexpr auto make_masks() noexcept {
    std::array<short, 32> masks{};
    for (std::size_t i = 0; i < masks.size(); ++i) {
        const auto wanted = static_cast<Events>(i);
        int mask = 0;
        if (any(wanted & Events::readable)) mask |= POLLIN;
        if (any(wanted & Events::writable)) mask |= POLLOUT;
        if (any(wanted & Events::priority)) mask |= POLLPRI;
        if (any(wanted & Events::hang_up)) mask |= POLLRDHUP;
        masks[i] = static_cast<short>(mask);
    }
    return masks;
}
constexpr auto masks = make_masks();

}  // namespace

short LevelWatch::mask_of(const ReadinessOp& op) noexcept {
    return masks[static_cast<std::size_t>(op.wanted) % masks.size()];
}

bool LevelWatch::note(ReadinessOp& op, int mask) noexcept {
    const int of_interest = mask & (mask_of(op) | POLLERR | POLLHUP);
    if (of_interest == 0) return false;
    op.happened = events_of_mask(of_interest) & (op.wanted | Events::hang_up | Events::error);
    return true;
}

void LevelWatch::release(Handler& handler) noexcept {
    Queue<ReadinessOp, LookLinks> batch;
    batch.take_all(ops_);
    while (ReadinessOp* op = batch.pop_front()) handler.on_level_quiet(*op);
}

bool LevelWatch::ask(Handler& handler, Look look) noexcept {
    Queue<ReadinessOp, LookLinks> batch;
    batch.take_all(ops_);
    bool is_one_ready = look.is_another_ready;
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
        const int ready_count = ::poll(queries.data(), count, 0);
        is_one_ready = is_one_ready || ready_count != 0;
        for (std::size_t i = 0; i < count; ++i) {
            ReadinessOp& op = *asked[i];
            const short answer = queries[i].revents;
            if (ready_count < 0) {
                // Interrupted, or the system is short of memory: polled again at once.
                ops_.push_back(op);
            } else if ((answer & POLLNVAL) != 0) {
                handler.on_level_failed(op, failure(std::errc::bad_file_descriptor));
            } else if (note(op, answer)) {
                op.was_quiet = false;
                ops_.push_back(op);
                handler.on_level_ready(op);
            } else if (is_one_ready && !std::exchange(op.was_quiet, true)) {
                ops_.push_back(op);
            } else {
                handler.on_level_quiet(op);
            }
        }
    }
    return is_one_ready;
}

}  // namespace gyre::platform
