// SPDX-License-Identifier: Apache-2.0
// Machines that use every kind of op again and again and allocate nothing themselves: every op is a
// member. They belong to one test and its thread.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "gyre/kernel/loop.hpp"

namespace gyre::allocation {

class AskOp : public Request {
public:
    explicit AskOp(bool keep = false) noexcept : Request(OpCode::first_custom), is_kept(keep) {}
    bool is_kept;  // until it is cancelled
};

class WatchOp : public StandingOp {
public:
    WatchOp() noexcept : StandingOp(OpCode::first_custom_standing) {}
    std::uint64_t written = 0;
};

// Serves: answers an ask at once or keeps it, and rings for every ask that it gets.
class Server : public Machine {
public:
    explicit Server(const char* name = "server") noexcept : Machine(name) {}

protected:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) serve(*op);
        while (Op* op = next_cancellation()) let_go(*op);
    }
    void on_close() override {
        is_closing_ = true;
        for (Op* op : kept_) {
            if (op != nullptr) let_go(*op);
        }
    }

private:
    void serve(Op& op) {
        const bool is_ask = op.code() == OpCode::first_custom;
        if (is_ask) ring();
        if (is_closing_ || (is_ask && !static_cast<AskOp&>(op).is_kept)) {
            complete(op, 1);
        } else {
            *std::find(kept_.begin(), kept_.end(), nullptr) = &op;
        }
    }
    void let_go(Op& op) {
        *std::find(kept_.begin(), kept_.end(), &op) = nullptr;
        complete(op, failure(std::errc::operation_canceled));
    }
    void ring() {
        for (Op* op : kept_) {
            if (op == nullptr || !op->is_standing()) continue;
            if (op->code() == OpCode::channel) {
                auto& channel = static_cast<ChannelOp<std::uint64_t>&>(*op);
                if (!channel.ring().push(std::uint64_t{1})) continue;
            } else {
                ++static_cast<WatchOp*>(op)->written;
            }
            notify(static_cast<StandingOp&>(*op));
        }
    }

    bool is_closing_ = false;
    std::array<Op*, 8> kept_{};  // more than two clients can leave here
};

// Each round, a timer's firing, it starts one of everything and cancels what was kept.
class Client : public Machine {
public:
    Client() noexcept : Machine("client") {}

    // Two servers: one of its own loop, one that may be at another.
    void begin(MachineRef near, MachineRef far) {
        for (AskOp* op : {&near_ask_, &near_kept_}) op->set_destination(near);
        for (AskOp* op : {&far_ask_, &far_kept_}) op->set_destination(far);
        watch_.set_destination(near);
        channel_.set_destination(far);
        platform_ask_.set_destination(platform_ref());
        submit(watch_);
        submit(channel_);
        submit(wake_);
        submit(timer_);
    }

    std::uint64_t rounds = 0;
    std::uint64_t answers = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t rings = 0;
    std::uint64_t items = 0;
    std::uint64_t posts = 0;

protected:
    void tick(Instant now) override {
        while (StandingOp* op = next_notification()) {
            if (op == &channel_) drain_channel();
            ++rings;
        }
        while (Op* op = next_completion()) {
            if (op == &timer_) {
                if (!is_closing_) round(now);
            } else {
                ++(op->is_cancelled() ? cancelled : answers);
            }
        }
    }
    void on_close() override {
        is_closing_ = true;
        for (Op* op : std::array<Op*, 7>{&timer_, &platform_ask_, &near_ask_, &near_kept_, &watch_,
                                         &wake_, &far_ask_}) {
            cancel(*op, op == &far_ask_ ? &far_ask_cancel_ : nullptr);
        }
        cancel(far_kept_, &far_kept_cancel_);
        cancel(channel_, &channel_cancel_);
    }

private:
    void round(Instant now) {
        ++rounds;
        for (AskOp* op : {&platform_ask_, &near_ask_, &far_ask_}) start(*op);
        if (rounds % 2 == 0) {
            start(near_kept_);
            start(far_kept_);
        } else {
            cancel(near_kept_);
            cancel(far_kept_, &far_kept_cancel_);
        }
        wake_.ring();
        if (!post_.is_in_flight() && loop().post(post_)) ++posts;
        timer_.deadline = now + std::chrono::microseconds(rounds % 1'000);
        submit(timer_, timer_.as_cause());
    }
    void start(AskOp& op) {
        if (!op.is_in_flight()) submit(op, timer_.as_cause());
    }
    void drain_channel() {
        while (ring_.pop()) ++items;
    }

    bool is_closing_ = false;
    TimerOp timer_;
    AskOp platform_ask_;
    AskOp near_ask_;
    AskOp near_kept_{true};
    AskOp far_ask_;
    AskOp far_kept_{true};
    CancelOp far_ask_cancel_;
    CancelOp far_kept_cancel_;
    CancelOp channel_cancel_;
    WatchOp watch_;
    WakeOp wake_;
    AskOp post_;
    SpscRing<std::uint64_t> ring_{8};
    ChannelOp<std::uint64_t> channel_{ring_};
};

// The app at the top, a parent between, and at the bottom the client and its server: every op of
// the two goes through both parents.
struct Family {
    Server app{"app"};
    Server parent{"parent"};
    Server server;
    Client client;
    Family() {
        app.add_child(parent);
        parent.add_child(server);
        parent.add_child(client);
    }
};

}  // namespace gyre::allocation
