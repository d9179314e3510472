// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/host_thread.hpp"

#include <cstdio>
#include <exception>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {

HostThread::HostThread(Host& host, SimContext& context, const std::function<int(Host&)>& main)
    : host_(host), context_(context), thread_([this, main] { run(main); }) {}

// ---- The world ----

Instant HostThread::ready_at(Instant paused_until) noexcept {
    if (exit_code_) return Instant::never();
    if (waiting_ == nullptr) return std::max(context_.now(), paused_until);
    const bool has_posts = !is_polling_ && (loop_->has_ready_work() || loop_->has_posts());
    const Instant input_at = is_polling_ ? until_ : waiting_->ready_io_at();
    return sleeper_.ready_at(context_, {.has_input = has_posts,
                                        .input_at = input_at,
                                        .deadline = until_,
                                        .paused_until = paused_until});
}

void HostThread::turn() noexcept {
    give(Turn::program);
    wait_for(Turn::world);
    // Events of the world complete ops of this loop on the thread of the world.
    if (loop_ != nullptr) loop_->adopt();
    if (exit_code_) thread_.join();
}

std::string HostThread::describe() const {
    return loop_ == nullptr ? std::string() : loop_->describe_ops();
}

void HostThread::end(HostThread* thread) noexcept {
    if (thread == nullptr) return;
    for (SimPlatform* const platform : thread->platforms_) platform->abandon();
    if (thread->exit_code_) {
        delete thread;
    } else {
        thread->thread_.detach();
    }
}

// ---- The program ----

void HostThread::run(const std::function<int(Host&)>& main) noexcept {
    wait_for(Turn::program);
    Host::current_ = &host_;
    const ChancePoints::Use points(&host_.world().chance_points());
    int exit_code = 1;
    try {
        exit_code = main(host_);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", host_.name().c_str(), error.what());
    }
    waiting_ = nullptr;
    loop_ = nullptr;
    exit_code_ = exit_code;
    give(Turn::world);
}

void HostThread::pass_turn(SimPlatform& platform, Loop& loop, Instant until,
                           bool is_poll) noexcept {
    waiting_ = &platform;
    loop_ = &loop;
    until_ = until;
    is_polling_ = is_poll;
    give(Turn::world);
    wait_for(Turn::program);
    loop.adopt();
}

// ---- Both ----

void HostThread::give(Turn to) noexcept {
    {
        const std::lock_guard lock(mutex_);
        turn_ = to;
    }
    turn_changed_.notify_all();
}

void HostThread::wait_for(Turn turn) noexcept {
    std::unique_lock lock(mutex_);
    turn_changed_.wait(lock, [this, turn] { return turn_ == turn; });
}

}  // namespace gyre::sim
