// SPDX-License-Identifier: Apache-2.0
// The simulation gives the results and error numbers of the real system: each script runs on both,
// and what the two answer is compared line by line. The scripts hold nothing of their own opinion.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/test_app.test.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

// Does ops one after the other on some platform and writes down what they answer.
class Script {
public:
    Script(Platform& platform, Offload& offload)
        : platform_(platform), loop_(platform, app, {.offload = &offload}) {}
    ~Script() {
        loop_.close();
        for (const Fd fd : open_) platform_.sockets().close_now(fd);
    }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    Sockets& sockets() { return platform_.sockets(); }
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
    // Long enough for what is under way to arrive.
    void pause() {
        TimerOp timer(loop_.now() + 2ms);
        (void)run(timer);
    }
    std::array<Fd, 2> pair() {
        const auto made = sockets().stream_pair().value();
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

void expect_same(void (*script)(Script&)) {
    std::string simulated;
    {
        VirtualClock clock;
        SimPlatform sim(clock);
        Script run(sim, sim.offload());
        script(run);
        simulated = run.lines;
    }
    platform::SystemClock clock;
    pool::ThreadPool pool({.thread_count = 1});
    auto system = platform::make_platform(clock, "epoll");
    ASSERT_TRUE(system) << system.error().message;
    Script run(**system, pool);
    script(run);
    EXPECT_EQ(simulated, run.lines);
}

// Not on the disk, so that nothing is left behind.
Address abstract_path() {
    return Address::unix_path(std::string(1, '\0') + "gyre-same-" + std::to_string(::getpid()))
        .value();
}

std::string scratch_path() {
    return testing::TempDir() + "gyre-same-" + std::to_string(::getpid());
}

TEST(SimIsTheSame, for_sockets_that_are_not_connected) {
    expect_same([](Script& script) {
        for (const Address::Family family : {Address::Family::ipv4, Address::Family::unix_path}) {
            const Fd fresh = script.stream(family);
            script.receive(fresh);
            script.send(fresh, "x");
            script.accept(fresh);
            script.end_sending(fresh);
            script.poll(fresh, Events::readable | Events::writable);
            script.read(fresh, 0);
            script.write(fresh, "x", 0);
            script.sync(fresh);
            script.lines += script.where(fresh).to_string() + '\n';
            script.connect(fresh, Address());
            script.close(fresh);
            script.close(fresh);
            script.receive(fresh);
        }
        (void)script.stream(Address::Family::none);
        (void)script.listen(Address());
        (void)script.where(9999);
        script.end_sending(9999);
    });
}

TEST(SimIsTheSame, for_listeners) {
    expect_same([](Script& script) {
        for (const Address& at : {Address::loopback(), abstract_path()}) {
            const Fd listener = script.listen(at);
            script.receive(listener);
            script.send(listener, "x");
            script.end_sending(listener);
            script.connect(listener, script.where(listener));
            (void)script.listen(script.where(listener));
            script.close(listener);
        }
        (void)script.listen(Address::ipv4({192, 0, 2, 1}, 0));
    });
}

TEST(SimIsTheSame, for_connects_that_cannot_be) {
    expect_same([](Script& script) {
        const Fd listener = script.listen(Address::loopback());
        const Address at = script.where(listener);
        const Fd ipv4 = script.stream(Address::Family::ipv4);
        script.connect(ipv4, Address::ipv6({}, at.port()));
        script.connect(ipv4, abstract_path());
        const Fd local = script.stream(Address::Family::unix_path);
        script.connect(local, at);
        script.connect(local, abstract_path());
        script.connect(local, Address::unix_path("/nowhere/at/all").value());
        script.close(listener);
        script.connect(ipv4, at);
        const Fd again = script.listen(at);
        script.connect(ipv4, at);
        script.connect(ipv4, at);
        (void)script.accept(again);
    });
}

TEST(SimIsTheSame, for_a_stream_that_ends_well) {
    expect_same([](Script& script) {
        for (const bool is_tcp : {true, false}) {
            const auto [client, server] =
                is_tcp ? script.connected(Address::loopback()) : script.pair();
            script.send(client, "hello");
            script.end_sending(client);
            script.end_sending(client);
            script.send(client, "more");
            script.pause();
            script.poll(server, Events::readable | Events::writable);
            script.receive(server);
            script.receive(server);
            script.receive(server);
            script.send(server, "bye");
            script.send(server, "");
            script.pause();
            script.poll(client, Events::readable | Events::writable);
            script.receive(client);
            script.close(server);
            script.receive(client);
            script.poll(client, Events::readable);
            script.end_sending(client);
        }
    });
}

TEST(SimIsTheSame, for_a_peer_that_closes_early) {
    expect_same([](Script& script) {
        for (const bool is_tcp : {true, false}) {
            const auto [client, server] =
                is_tcp ? script.connected(Address::loopback()) : script.pair();
            script.close(server);
            script.pause();
            script.poll(client, Events::readable | Events::writable);
            script.send(client, "x");
            script.pause();
            script.poll(client, Events::readable | Events::writable);
            script.send(client, "x");
            script.send(client, "x");
            script.receive(client);
            script.end_sending(client);
        }
    });
}

TEST(SimIsTheSame, for_a_connection_that_is_reset) {
    expect_same([](Script& script) {
        for (const bool is_tcp : {true, false}) {
            for (const bool sends_first : {true, false}) {
                const auto [client, server] =
                    is_tcp ? script.connected(Address::loopback()) : script.pair();
                script.send(client, "unread");
                script.pause();
                if (sends_first) script.send(server, "data");
                script.close(server);
                script.pause();
                script.poll(client, Events::readable | Events::writable);
                if (sends_first) {
                    script.receive(client);
                    script.receive(client);
                } else {
                    script.send(client, "x");
                }
                script.send(client, "x");
                script.receive(client);
                script.receive(client);
                script.end_sending(client);
            }
        }
    });
}

TEST(SimIsTheSame, for_connections_that_nobody_accepts) {
    expect_same([](Script& script) {
        for (const Address& at : {Address::loopback(), abstract_path()}) {
            const Fd listener = script.listen(at);
            const Fd client = script.stream(at.family());
            script.connect(client, script.where(listener));
            script.send(client, "x");
            script.close(listener);
            script.pause();
            script.receive(client);
            script.receive(client);
            script.send(client, "x");
        }
    });
}

TEST(SimIsTheSame, for_listeners_on_any_address) {
    expect_same([](Script& script) {
        const Fd listener = script.listen(Address::ipv4({}, 0));
        const Address at = script.where(listener);
        const Fd client = script.stream(Address::Family::ipv4);
        script.connect(client, Address::ipv4({}, at.port()));
        const Fd server = script.accept(listener);
        Address near = script.where(server);
        script.lines +=
            Address::ipv4({near.ip()[0], near.ip()[1], near.ip()[2], near.ip()[3]}, 0).to_string() +
            '\n';
        (void)script.listen(Address::loopback(at.port()));
        (void)script.listen(Address::loopback(at.port()), {.share_port = true});
    });
}

TEST(SimIsTheSame, for_files) {
    std::remove(scratch_path().c_str());
    expect_same([](Script& script) {
        const std::string path = scratch_path();
        (void)script.open(path, {});
        (void)script.open("", {});
        (void)script.open(std::string(300, 'x'), {.write = true, .create = true});
        (void)script.open(path, {.read = false});
        (void)script.open(path + "/", {.write = true, .create = true});
        const Fd both = script.open(path, {.write = true, .create = true});
        script.write(both, "abc", 0);
        script.write(both, "z", 6);
        script.read(both, 0);
        script.read(both, 7);
        script.read(both, 100);
        script.write(both, "x", ~std::uint64_t{0});
        script.write(both, "", 0);
        script.sync(both);
        const Fd reads = script.open(path, {});
        script.write(reads, "x", 0);
        const Fd writes = script.open(path, {.read = false, .write = true, .truncate = true});
        script.read(writes, 0);
        script.read(reads, 0);
        script.poll(reads, Events::readable | Events::writable);
        script.accept(reads);
        script.connect(reads, Address::loopback(1));
        script.end_sending(reads);
        (void)script.where(reads);
        script.close(reads);
        script.read(reads, 0);
        script.sync(reads);
    });
    std::remove(scratch_path().c_str());
}

TEST(SimIsTheSame, for_signals_that_cannot_be_caught) {
    expect_same([](Script& script) {
        for (const int number : {0, -1, 9, 19, 65}) {
            SignalOp op(number);
            script.note("signal", script.run(op));
        }
    });
}

}  // namespace
}  // namespace gyre::sim
