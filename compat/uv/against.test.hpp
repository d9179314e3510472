// SPDX-License-Identifier: Apache-2.0
// A random program of handle operations, run on one library that has libuv's interface: the bytes
// decide its operations, and the log says what happened. The logs of two libraries must be equal.
//
// What libuv leaves open, or has changed between versions, is not compared:
//   - the order of callbacks of different handles, except hooks, and of a handle's and its requests'
//   - in which of a few iterations a callback runs, and callbacks that only give memory back
//   - the order in which work ends; an iteration in which some has ended may leave ready descriptors
//     to the next one here, so that programs with work get more iterations
//   - an empty buffer behind others, which keeps a write of libuv waiting
//   - a datagram behind one of the same iteration, which waits in libuv too
// So a callback acts on its own handle only, and time plays no part: a timer is due at once or not at
// all.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compat/uv/against_library.test.hpp"

namespace gyre::uv::test {

class RandomProgram {
public:
    RandomProgram(const Library& library, std::span<const std::uint8_t> input)
        : uv_(library), input_(input) {}

    // What happened: the result of each call, then the callbacks of each handle.
    std::string run() {
        if (uv_.loop_init(&loop_) != 0) return "no loop";
        while (!input_.empty() && slots_.size() < slots_max) step();
        while (!input_.empty()) step();
        finish();
        std::string log = std::move(calls_);
        for (const auto& slot : slots_)
            log += "\n" + slot->kind + ": " + slot->log + "/ " + slot->done_log;
        std::ranges::sort(work_log_);
        log += "\nwork:";
        for (const int status : work_log_) log += " " + std::to_string(status);
        return log + "\nhooks: " + hooks_;
    }

private:
    static constexpr std::size_t slots_max = 24;
    static constexpr std::size_t writes_max = 64;

    // One handle, what its callbacks do to it, and what they saw.
    struct Slot {
        RandomProgram* program = nullptr;
        std::string kind;
        std::string log;
        std::string done_log;  // of its requests
        std::size_t number = 0;
        int acts_left = 0;  // callbacks until the handle stops or closes itself
        bool closes = false;
        bool is_closed = false;
        bool has_sent = false;  // in this turn
        std::size_t bytes = 0;
        int descriptor = -1;  // of a poll
        union {
            uv_handle_t base;
            uv_stream_t stream;
            uv_timer_t timer;
            uv_idle_t idle;
            uv_prepare_t prepare;
            uv_check_t check;
            uv_async_t async;
            uv_pipe_t pipe;
            uv_udp_t udp;
            uv_poll_t poll;
            uv_tcp_t tcp;
            uv_signal_t signal;
        };
        Slot() : base() {}
    };

    std::uint8_t next() {
        if (input_.empty()) return 0;
        const std::uint8_t byte = input_.front();
        input_ = input_.subspan(1);
        return byte;
    }
    void note(const char* what, std::int64_t result) {
        calls_ += std::string(what) + "=" + std::to_string(result) + " ";
    }
    static Slot& of(const void* handle) {
        return *static_cast<Slot*>(static_cast<const uv_handle_t*>(handle)->data);
    }

    Slot* make(const char* kind) {
        if (slots_.size() >= slots_max) return nullptr;
        slots_.push_back(std::make_unique<Slot>());
        Slot& slot = *slots_.back();
        slot.program = this;
        slot.kind = kind;
        slot.number = slots_.size();
        slot.acts_left = next() % 4 + 1;
        slot.closes = next() % 2 == 0;
        return &slot;
    }
    // Of the handles that are not closing.
    Slot* pick(const char* kind = nullptr) {
        std::vector<Slot*> fitting;
        for (const auto& slot : slots_) {
            const bool fits = kind == nullptr || slot->kind == kind;
            if (fits && uv_.is_closing(&slot->base) == 0) fitting.push_back(slot.get());
        }
        return fitting.empty() ? nullptr : fitting[next() % fitting.size()];
    }

    static uv_buf_t buffer_of(char* memory, std::size_t size) {
        uv_buf_t buffer;
        buffer.base = memory;
        buffer.len = size;
        return buffer;
    }

    // ---- The callbacks ----

    static void closed(uv_handle_t* handle) {
        Slot& slot = of(handle);
        slot.log += "closed ";
        slot.is_closed = true;
    }
    void close(Slot& slot) { uv_.close(&slot.base, closed); }
    // After some callbacks the handle stops, or closes itself.
    bool is_over(Slot& slot) {
        if (--slot.acts_left > 0) return false;
        if (slot.closes && uv_.is_closing(&slot.base) == 0) close(slot);
        return true;
    }
    static void on_timer(uv_timer_t* timer) {
        of(timer).log += "fired ";
        (void)of(timer).program->is_over(of(timer));
    }
    void on_hook(Slot& slot, char letter) {
        hooks_ += letter + std::to_string(slot.number) + " ";
        if (!is_over(slot) || uv_.is_closing(&slot.base) != 0) return;
        if (letter == 'i') uv_.idle_stop(&slot.idle);
        if (letter == 'p') uv_.prepare_stop(&slot.prepare);
        if (letter == 'k') uv_.check_stop(&slot.check);
    }
    static void on_async(uv_async_t* async) {
        of(async).log += "woken ";
        (void)of(async).program->is_over(of(async));
    }
    static void give(uv_handle_t* handle, std::size_t /*size*/, uv_buf_t* buffer) {
        auto& room = of(handle).program->room_;
        *buffer = buffer_of(room.data(), room.size());
    }
    static void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* /*buffer*/) {
        if (count == 0) return;
        Slot& slot = of(stream);
        slot.log += "read" + std::to_string(count) + " ";
        if (slot.program->is_over(slot)) (void)slot.program->uv_.read_stop(stream);
    }
    static void on_received(uv_udp_t* udp, ssize_t count, const uv_buf_t* /*buffer*/,
                            const sockaddr* from, unsigned /*flags*/) {
        if (count == 0 && from == nullptr) return;
        Slot& slot = of(udp);
        slot.log += "received" + std::to_string(count) + " ";
        if (slot.program->is_over(slot)) (void)slot.program->uv_.udp_recv_stop(udp);
    }
    static void on_poll(uv_poll_t* poll, int status, int events) {
        Slot& slot = of(poll);
        slot.log += "ready" + std::to_string(status) + ":" + std::to_string(events) + " ";
        char byte = 0;
        (void)!::read(slot.descriptor, &byte, 1);
        if (slot.program->is_over(slot) && uv_closing(slot) == 0) {
            (void)slot.program->uv_.poll_stop(poll);
        }
    }
    static int uv_closing(const Slot& slot) { return slot.program->uv_.is_closing(&slot.base); }
    template <class Request>
    struct Pending {
        Request request{};
        Slot* slot = nullptr;
        const char* what = "";
    };
    template <class Request>
    static void on_done(Request* request, int status) {
        auto* pending = static_cast<Pending<Request>*>(request->data);
        pending->slot->done_log += pending->what + std::to_string(status) + " ";
        delete pending;
    }
    template <class Request>
    Request* request_of(Slot& slot, const char* what) {
        auto* pending = new Pending<Request>;
        pending->slot = &slot;
        pending->what = what;
        pending->request.data = pending;
        return &pending->request;
    }
    // A request that did not start has no callback.
    template <class Request>
    int started(Request* request, int status) {
        if (status < 0) delete static_cast<Pending<Request>*>(request->data);
        return status;
    }

    // ---- The steps ----

    void step() {
        using Program = RandomProgram;
        static constexpr void (Program::* steps[])() = {
            &Program::make_simple, &Program::make_pipes,   &Program::make_udp,
            &Program::make_poll,   &Program::start_timer,  &Program::start_hook,
            &Program::start_hook,  &Program::act_on_timer, &Program::stop_hook,
            &Program::send_async,  &Program::read,         &Program::write,
            &Program::write,       &Program::try_write,    &Program::shut_down,
            &Program::receive,     &Program::send,         &Program::poll,
            &Program::feed_poll,   &Program::close_one,    &Program::change_ref,
            &Program::ask,         &Program::work,         &Program::turn};
        (this->*steps[next() % std::size(steps)])();
    }
    void make_simple() {
        const unsigned which = next() % 5;
        static constexpr std::array names = {"timer", "idle", "prepare", "check", "async"};
        Slot* slot = make(names[which]);
        if (slot == nullptr) return;
        int status = 0;
        if (which == 0) status = uv_.timer_init(&loop_, &slot->timer);
        if (which == 1) status = uv_.idle_init(&loop_, &slot->idle);
        if (which == 2) status = uv_.prepare_init(&loop_, &slot->prepare);
        if (which == 3) status = uv_.check_init(&loop_, &slot->check);
        if (which == 4) status = uv_.async_init(&loop_, &slot->async, on_async);
        slot->base.data = slot;
        note(names[which], status);
    }
    void make_pipes() {
        int fds[2];
        if (slots_.size() + 2 > slots_max) return;
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) return;
        for (const int fd : fds) {
            Slot* slot = make("pipe");
            // Which end of a pair is served first in an iteration is open.
            slot->closes = false;
            note("pipe", uv_.pipe_init(&loop_, &slot->pipe, 0));
            slot->base.data = slot;
            note("open", uv_.pipe_open(&slot->pipe, fd));
        }
    }
    void make_udp() {
        Slot* slot = make("udp");
        if (slot == nullptr) return;
        note("udp", uv_.udp_init(&loop_, &slot->udp));
        slot->base.data = slot;
        if (next() % 4 == 0) return;
        sockaddr_in any{};
        (void)uv_.ip4_addr("127.0.0.1", 0, &any);
        note("bind", uv_.udp_bind(&slot->udp, reinterpret_cast<sockaddr*>(&any), 0));
    }
    void make_poll() {
        int fds[2];
        if (slots_.size() >= slots_max) return;
        if (::pipe(fds) != 0) return;
        Slot* slot = make("poll");
        slot->acts_left = 1;  // in how many of the iterations it is ready is open
        slot->descriptor = fds[0];
        pipes_.push_back(fds[0]);
        pipes_.push_back(fds[1]);
        slot->bytes = static_cast<std::size_t>(fds[1]);
        note("poll", uv_.poll_init(&loop_, &slot->poll, fds[0]));
        slot->base.data = slot;
    }
    void start_timer() {
        Slot* slot = pick("timer");
        if (slot == nullptr) return;
        const bool is_due = next() % 2 == 0;
        note("start", uv_.timer_start(&slot->timer, on_timer, is_due ? 0 : far_ms,
                                      next() % 2 == 0 ? 0 : far_ms));
    }
    void act_on_timer() {
        Slot* slot = pick("timer");
        if (slot == nullptr) return;
        switch (next() % 3) {
            case 0:
                return note("stop", uv_.timer_stop(&slot->timer));
            case 1:
                return note("again", uv_.timer_again(&slot->timer));
            default:
                uv_.timer_set_repeat(&slot->timer, far_ms);
                note("repeat", static_cast<std::int64_t>(uv_.timer_get_repeat(&slot->timer)));
        }
    }
    void start_hook() {
        switch (next() % 3) {
            case 0:
                if (Slot* slot = pick("idle"); slot != nullptr) {
                    note("start", uv_.idle_start(&slot->idle, [](uv_idle_t* hook) {
                        of(hook).program->on_hook(of(hook), 'i');
                    }));
                }
                return;
            case 1:
                if (Slot* slot = pick("prepare"); slot != nullptr) {
                    note("start", uv_.prepare_start(&slot->prepare, [](uv_prepare_t* hook) {
                        of(hook).program->on_hook(of(hook), 'p');
                    }));
                }
                return;
            default:
                if (Slot* slot = pick("check"); slot != nullptr) {
                    note("start", uv_.check_start(&slot->check, [](uv_check_t* hook) {
                        of(hook).program->on_hook(of(hook), 'k');
                    }));
                }
        }
    }
    void stop_hook() {
        if (Slot* slot = pick("idle"); slot != nullptr) note("stop", uv_.idle_stop(&slot->idle));
        if (Slot* slot = pick("check"); slot != nullptr) note("stop", uv_.check_stop(&slot->check));
    }
    void send_async() {
        if (Slot* slot = pick("async"); slot != nullptr) {
            note("send", uv_.async_send(&slot->async));
            if (next() % 2 == 0) note("send", uv_.async_send(&slot->async));
        }
    }
    void read() {
        Slot* slot = pick("pipe");
        if (slot == nullptr) return;
        if (next() % 3 == 0) return note("stop", uv_.read_stop(&slot->stream));
        note("read", uv_.read_start(&slot->stream, give, on_read));
    }
    std::array<uv_buf_t, 2> pieces() {
        return {buffer_of(text_.data(), next() % 40u + 1),
                buffer_of(text_.data(), next() % 3u + 1)};
    }
    void write() {
        Slot* slot = pick("pipe");
        if (slot == nullptr || ++write_count_ > writes_max) return;
        const auto both = pieces();
        auto* request = request_of<uv_write_t>(*slot, "written");
        note("write", started(request, uv_.write(request, &slot->stream, both.data(), 2,
                                                 on_done<uv_write_t>)));
    }
    void try_write() {
        Slot* slot = pick("pipe");
        if (slot == nullptr) return;
        const auto both = pieces();
        note("try", uv_.try_write(&slot->stream, both.data(), 1));
    }
    void shut_down() {
        Slot* slot = pick("pipe");
        if (slot == nullptr) return;
        auto* request = request_of<uv_shutdown_t>(*slot, "shut");
        note("shutdown",
             started(request, uv_.shutdown(request, &slot->stream, on_done<uv_shutdown_t>)));
    }
    void receive() {
        Slot* slot = pick("udp");
        if (slot == nullptr) return;
        if (next() % 3 == 0) return note("stop", uv_.udp_recv_stop(&slot->udp));
        note("receive", uv_.udp_recv_start(&slot->udp, give, on_received));
    }
    // To the handle itself, so that nothing is lost or late.
    void send() {
        Slot* slot = pick("udp");
        if (slot == nullptr) return;
        if (slot->has_sent) return;
        sockaddr_in at{};
        int size = sizeof at;
        const int named = uv_.udp_getsockname(&slot->udp, reinterpret_cast<sockaddr*>(&at), &size);
        note("name", named);
        if (named < 0 || at.sin_port == 0) return;
        const auto both = pieces();
        const auto* to = reinterpret_cast<const sockaddr*>(&at);
        slot->has_sent = true;
        if (next() % 2 == 0) {
            return note("try", uv_.udp_try_send(&slot->udp, both.data(), 2, to));
        }
        auto* request = request_of<uv_udp_send_t>(*slot, "sent");
        note("send", started(request, uv_.udp_send(request, &slot->udp, both.data(), 2, to,
                                                   on_done<uv_udp_send_t>)));
    }
    void poll() {
        Slot* slot = pick("poll");
        if (slot == nullptr) return;
        if (next() % 3 == 0) return note("stop", uv_.poll_stop(&slot->poll));
        note("poll", uv_.poll_start(&slot->poll, UV_READABLE, on_poll));
    }
    void feed_poll() {
        Slot* slot = pick("poll");
        if (slot == nullptr) return;
        const char byte = 'x';
        note("feed", ::write(static_cast<int>(slot->bytes), &byte, 1));
    }
    void close_one() {
        Slot* slot = pick();
        if (slot == nullptr) return;
        note("close", static_cast<std::int64_t>(slot->number));
        close(*slot);
    }
    // Whether work keeps a loop alive depends on when it ends: a program has one or the other. How
    // many iterations the close of another handle takes is open too, and what else they see.
    void change_ref() {
        Slot* slot = pick(next() % 2 == 0 ? "timer" : "async");
        if (slot == nullptr || work_count_ > 0) return;
        has_changed_ref_ = true;
        if (next() % 2 == 0) {
            uv_.unref(&slot->base);
        } else {
            uv_.ref(&slot->base);
        }
        note("ref", uv_.has_ref(&slot->base));
    }
    void ask() {
        Slot* slot = pick();
        if (slot == nullptr) return;
        note((slot->kind + "-active").c_str(), uv_.is_active(&slot->base));
        if (slot->kind != "pipe") return;
        note("readable", uv_.is_readable(&slot->stream));
        note("writable", uv_.is_writable(&slot->stream));
    }
    void work() {
        if (has_changed_ref_) return;
        struct Job {
            uv_work_t request{};
            RandomProgram* program = nullptr;
        };
        auto* job = new Job;
        job->program = this;
        job->request.data = job;
        const int status = uv_.queue_work(
            &loop_, &job->request, [](uv_work_t*) {},
            [](uv_work_t* request, int done) {
                auto* ended = static_cast<Job*>(request->data);
                ended->program->work_log_.push_back(done);
                delete ended;
            });
        note("work", status);
        ++work_count_;
    }
    // Three, since it has changed in which of them a deferred callback runs, and one for each work.
    void turn() {
        hooks_ += "| ";
        for (const auto& slot : slots_) slot->has_sent = false;
        for (std::size_t i = 0; i < 3 + work_count_; ++i) (void)uv_.run(&loop_, UV_RUN_NOWAIT);
        if (work_count_ == 0) note("alive", uv_.loop_alive(&loop_));
    }

    void finish() {
        for (const auto& slot : slots_) {
            if (uv_.is_closing(&slot->base) == 0) close(*slot);
        }
        note("run", uv_.run(&loop_, UV_RUN_DEFAULT));
        note("end", uv_.loop_close(&loop_));
        for (const int fd : pipes_) ::close(fd);
        for (const auto& slot : slots_) {
            if (!slot->is_closed) calls_ += "lost" + std::to_string(slot->number) + " ";
        }
    }

    static constexpr std::uint64_t far_ms = 1'000'000;

    const Library& uv_;
    std::span<const std::uint8_t> input_;
    uv_loop_t loop_{};
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<int> pipes_;
    std::string calls_;
    std::string hooks_;
    std::vector<int> work_log_;
    bool has_changed_ref_ = false;
    std::size_t work_count_ = 0;  // which ends at any time
    std::size_t write_count_ = 0;
    std::array<char, 64> room_{};
    std::array<char, 64> text_{};
};

}  // namespace gyre::uv::test
