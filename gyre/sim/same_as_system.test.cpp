// SPDX-License-Identifier: Apache-2.0
// The simulation gives the results and error numbers of the real system: each script runs on both,
// and the two records are compared line by line. The scripts themselves expect nothing.
#include <cstdio>

#include "gyre/sim/script.test.hpp"

namespace gyre::sim {
namespace {

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
