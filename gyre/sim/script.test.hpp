// SPDX-License-Identifier: Apache-2.0
// Script: runs ops one after the other on a platform and records their results, to compare the
// simulation with the real system. One thread; lives as long as its test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/test_app.test.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {

class Script {
public:
    Script(Platform& platform, Offload& offload)
        : platform_(platform), loop_(platform, app, {.offload = &offload}) {}
    ~Script() {
        loop_.close();
        for (const Fd fd : open_) platform_.environment()->sockets().close_now(fd);
    }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    Sockets& sockets() { return platform_.environment()->sockets(); }
    Fd note_fd(Fd fd) {
        if (fd >= 0) open_.push_back(fd);
        return fd;
    }
    Fd listen(const Address& at, ListenOptions options = {}) {
        const Result<Fd> fd = sockets().listen(at, options);
        note("listen", fd ? 0 : fd.error().as_result());
        return note_fd(fd.value_or(-1));
    }
    Fd stream(Address::Family family) {
        const Result<Fd> fd = sockets().stream(family);
        note("stream", fd ? 0 : fd.error().as_result());
        return note_fd(fd.value_or(-1));
    }
    Address where(Fd fd) {
        const Result<Address> address = sockets().local_address(fd);
        note("where", address ? 0 : address.error().as_result());
        return address.value_or(Address());
    }
    std::int32_t run(Op& op) {
        app.start(op);
        return finish(op);
    }
    // Of an op that was started: turns until it is back.
    std::int32_t finish(Op& op) {
        while (op.is_in_flight()) loop_.turn();
        return op.result();
    }
    std::int32_t connect(Fd fd, const Address& to) {
        ConnectOp op(fd, to);
        return note("connect", run(op));
    }
    Fd accept(Fd fd) {
        AcceptOp op(fd);
        const Fd accepted = note_fd(run(op));
        note("accept", accepted >= 0 ? 0 : accepted);
        lines += "  from family " + std::to_string(static_cast<int>(op.peer.family())) + "\n";
        return accepted;
    }
    void receive(Fd fd) {
        std::array<std::byte, 64> buffer{};
        ReceiveOp op(fd, buffer);
        const std::int32_t size = note("receive", run(op));
        if (size > 0) {
            lines += "  ";
            lines += text_of(Bytes(buffer).first(static_cast<std::size_t>(size)));
            lines += '\n';
        }
    }
    void send(Fd fd, std::string_view text) {
        SendOp op(fd, bytes_of(text));
        note("send", run(op));
    }
    Fd datagram(Address::Family family) {
        const Result<Fd> fd = sockets().datagram(family);
        note("datagram", fd ? 0 : fd.error().as_result());
        return note_fd(fd.value_or(-1));
    }
    Fd bound(const Address& at, BindOptions options = {}) {
        const Fd fd = datagram(at.family());
        bind(fd, at, options);
        return fd;
    }
    void bind(Fd fd, const Address& at, BindOptions options = {}) {
        note("bind", sockets().bind(fd, at, options));
    }
    void connect_datagram(Fd fd, const Address& to) {
        note("connect_datagram", sockets().connect_datagram(fd, to));
    }
    void set(Fd fd, DatagramOption option, int value) {
        note("set", sockets().set_option(fd, option, value));
    }
    void peer(Fd fd) {
        const Result<Address> address = sockets().peer_address(fd);
        note("peer", address ? 0 : address.error().as_result());
    }
    void send_to(Fd fd, std::string_view text, const Address& to) {
        SendToOp op(fd, bytes_of(text), to);
        note("send_to", run(op));
    }
    void try_send_to(Fd fd, std::string_view text, const Address& to) {
        const Result<std::size_t> sent = sockets().try_send_to(fd, bytes_of(text), to);
        note("try_send_to", sent ? static_cast<std::int32_t>(*sent) : sent.error().as_result());
    }
    void receive_from(Fd fd, std::size_t size_max = 64) {
        std::string text(size_max, '\0');
        ReceiveFromOp op(fd, std::as_writable_bytes(std::span(text)));
        const std::int32_t size = note("receive_from", run(op));
        if (size < 0) return;
        lines += "  " + text.substr(0, static_cast<std::size_t>(size));
        lines += op.is_truncated ? " cut off" : " whole";
        lines += ", from family " + std::to_string(static_cast<int>(op.from.family())) + '\n';
    }
    void poll(Fd fd, Events wanted) {
        PollOp op(fd, wanted);
        note("poll", run(op));
    }
    void close(Fd fd) {
        std::erase(open_, fd);
        CloseOp op(fd);
        note("close", run(op));
    }
    void end_sending(Fd fd) {
        const Result<void> result = sockets().end_sending(fd);
        note("end_sending", result ? 0 : result.error().as_result());
    }
    Fd open(const std::string& path, OpenOptions options) {
        OpenOp op(path, options);
        const Fd fd = note_fd(run(op));
        note("open", fd >= 0 ? 0 : fd);
        return fd;
    }
    void write(Fd fd, std::string_view text, std::uint64_t offset) {
        WriteOp op(fd, bytes_of(text), offset);
        note("write", run(op));
    }
    void read(Fd fd, std::uint64_t offset) {
        std::array<std::byte, 64> buffer{};
        ReadOp op(fd, buffer, offset);
        const std::int32_t size = note("read", run(op));
        for (std::int32_t i = 0; i < size; ++i) {
            lines += ' ' + std::to_string(static_cast<int>(buffer[static_cast<std::size_t>(i)]));
        }
        lines += '\n';
    }
    void sync(Fd fd) {
        FsyncOp op(fd);
        note("sync", run(op));
    }
    // Long enough for everything in flight to arrive.
    void pause() {
        TimerOp timer(loop_.now() + std::chrono::milliseconds(2));
        (void)run(timer);
    }
    std::array<Fd, 2> pair() {
        const auto made = sockets().connection_pair().value();
        for (const Fd fd : made) note_fd(fd);
        return made;
    }
    std::array<Fd, 2> connected(const Address& at) {
        const Fd listener = listen(at);
        const Fd client = stream(at.family());
        connect(client, where(listener));
        const Fd server = accept(listener);
        close(listener);
        return {client, server};
    }
    void note(const char* what, const Result<void>& result) {
        note(what, result ? 0 : result.error().as_result());
    }
    std::int32_t note(const char* what, std::int32_t result) {
        lines += std::string(what) + ' ' + std::to_string(result) + '\n';
        return result;
    }

    std::string lines;
    TestApp app;

private:
    Platform& platform_;
    Loop loop_;
    std::vector<Fd> open_;
};

// The same on a host of a world, by a program that has a thread.
inline std::string record_in_world(const std::function<void(Script&)>& script) {
    VirtualClock clock;
    World world(clock);
    std::string lines;
    const auto main = [&](Host& host) {
        const std::unique_ptr<SimPlatform> platform = host.make_platform();
        Script run(*platform, platform->offload());
        script(run);
        lines = run.lines;
        return 0;
    };
    world.add_host({.name = "a"}, {.main = main}).start();
    EXPECT_EQ(world.run(), World::End::idle);
    return lines;
}

inline void expect_same(void (*script)(Script&)) {
    std::string simulated;
    {
        VirtualClock clock;
        SimPlatform sim(clock);
        Script run(sim, sim.offload());
        script(run);
        simulated = run.lines;
    }
    EXPECT_EQ(record_in_world(script), simulated);
    platform::SystemClock clock;
    pool::ThreadPool pool({.thread_count = 1});
    auto system = platform::make_platform(clock, "epoll");
    ASSERT_TRUE(system) << system.error().message;
    Script run(**system, pool);
    script(run);
    EXPECT_EQ(simulated, run.lines);
}

// An abstract name, which leaves no file behind.
inline Address abstract_path() {
    return Address::unix_path(std::string(1, '\0') + "gyre-same-" + std::to_string(::getpid()))
        .value();
}

inline std::string scratch_path() {
    return testing::TempDir() + "gyre-same-" + std::to_string(::getpid());
}

}  // namespace gyre::sim
