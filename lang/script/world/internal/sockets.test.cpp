// SPDX-License-Identifier: Apache-2.0
// The natives of the module `net`, called without a script: results, events, limits and permissions.
#include "lang/script/world/internal/sockets.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "lang/script/world/native_world.test.hpp"

namespace gyre::script {
namespace {

using test::Given;
using test::MadeCall;
using test::Told;

constexpr double port = 8080;
constexpr double events_of_listener = 1;
constexpr double events_of_client = 2;
constexpr double events_of_server = 3;

struct SocketWorld : test::NativeWorld {
    ScriptSockets sockets{script, app};
    test::Bytes loopback = {std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};
    test::Bytes none;
    double next_id = 100;

    template <void (ScriptSockets::*method)(NativeCall&)>
    MadeCall call(std::vector<Given> arguments) {
        MadeCall made(std::move(arguments));
        (sockets.*method)(made);
        return made;
    }
    template <void (ScriptSockets::*method)(NativeCall&)>
    double number(std::vector<Given> arguments) {
        return call<method>(std::move(arguments)).given_number.value_or(-1e9);
    }
    double open(double events) { return number<&ScriptSockets::open>({events}); }
    double listen(double socket) {
        return number<&ScriptSockets::listen>({socket, "", &loopback, port, 16.0});
    }
    // The number and the text of its end.
    Told connect(double socket, std::string name = "") {
        const double id = ++next_id;
        EXPECT_EQ(number<&ScriptSockets::connect>({socket, id, "", &loopback, port, name}), 0);
        for (int turn = 0; turn < 50; ++turn) {
            if (const auto end = take(id)) return *end;
            loop.turn();
        }
        return {.id = id, .number = -1e9, .text = {}};
    }
    std::optional<Told> wait(double id) {
        for (int turn = 0; turn < 200; ++turn) {
            if (auto found = take(id)) return found;
            loop.turn();
        }
        return std::nullopt;
    }
    double write(double socket, double id, Given data, bool is_latin1 = false) {
        return number<&ScriptSockets::write>({socket, id, std::move(data), is_latin1 ? 1.0 : 0.0});
    }
    // All that arrives until the end or an error, which is the number.
    Told read_all(double socket, double events) {
        Told made;
        EXPECT_EQ(number<&ScriptSockets::read>({socket, 1.0, 0.0}), 0);
        while (const auto told_of = wait(events)) {
            EXPECT_EQ(told_of->text, "R");
            test::Bytes into(told_of->number > 0 ? static_cast<std::size_t>(told_of->number) : 0);
            static_cast<void>(call<&ScriptSockets::take>({socket, &into}));
            made.text.append(reinterpret_cast<const char*>(into.data()), into.size());
            made.number = told_of->number;
            if (made.number <= 0) return made;
        }
        return made;
    }
    void close(double socket) {
        static_cast<void>(call<&ScriptSockets::close>({socket, ++next_id, 0.0}));
    }

    // A connection; `client` and `server` are its ends.
    void pair() {
        listener = open(events_of_listener);
        ASSERT_EQ(listen(listener), 0);
        client = open(events_of_client);
        ASSERT_EQ(connect(client).number, 0);
        const auto accepted = wait(events_of_listener);
        ASSERT_TRUE(accepted.has_value());
        EXPECT_EQ(accepted->text, "A");
        server = accepted->number;
        static_cast<void>(call<&ScriptSockets::adopt>({server, events_of_server}));
        close(listener);
    }
    double listener = 0;
    double client = 0;
    double server = 0;
};

TEST(ScriptSockets, carry_bytes_and_texts_and_tell_the_end) {
    SocketWorld world;
    world.pair();
    test::Bytes bytes = {std::byte{0}, std::byte{255}};
    EXPECT_EQ(world.write(world.client, 10, &bytes), 2);
    EXPECT_EQ(world.write(world.client, 11, "\xc3\xa9"), 2);        // as UTF-8
    EXPECT_EQ(world.write(world.client, 12, "\xc3\xa9", true), 1);  // as Latin-1
    EXPECT_EQ(world.number<&ScriptSockets::finish>({world.client, 13.0}), 0);
    const Told got = world.read_all(world.server, events_of_server);
    EXPECT_EQ(got.text, std::string("\0\xff\xc3\xa9\xe9", 5));
    EXPECT_EQ(got.number, ScriptSockets::end_of_stream);
    EXPECT_EQ(world.wait(13)->number, 0);
    world.close(world.client);
    world.close(world.server);
    world.settle();
}

TEST(ScriptSockets, a_write_that_waits_has_its_size_at_once_and_its_end_as_an_event) {
    SocketWorld world;
    world.pair();
    test::Bytes large(std::size_t{8} << 20u, std::byte{'x'});
    const auto size = static_cast<double>(large.size());
    EXPECT_EQ(world.write(world.client, 10, &large), ScriptSockets::sent_later + size);
    EXPECT_EQ(world.write(world.client, 11, "behind it"), ScriptSockets::sent_later + 9);
    EXPECT_GT(world.number<&ScriptSockets::unsent>({world.client}), 0);
    EXPECT_FALSE(world.take(10).has_value());
    EXPECT_EQ(world.number<&ScriptSockets::finish>({world.client, 12.0}), 0);
    const Told got = world.read_all(world.server, events_of_server);
    EXPECT_EQ(got.text.size(), large.size() + 9);
    EXPECT_TRUE(got.text.ends_with("xbehind it"));
    EXPECT_EQ(world.wait(10)->number, 0);
    EXPECT_EQ(world.wait(11)->number, 0);
    EXPECT_EQ(world.number<&ScriptSockets::unsent>({world.client}), 0);
    world.close(world.client);
    world.close(world.server);
    world.settle();
}

TEST(ScriptSockets, more_that_waits_than_all_sockets_may_keep_is_refused) {
    SocketWorld world;
    world.pair();
    test::Bytes above(ScriptSockets::unsent_bytes_max + (std::size_t{64} << 20u));
    EXPECT_EQ(world.write(world.client, 10, &above), -ENOBUFS);
    EXPECT_EQ(world.number<&ScriptSockets::unsent>({world.client}), 0);
    world.close(world.client);
    world.close(world.server);
    world.settle();
}

TEST(ScriptSockets, a_close_ends_the_writes_that_wait) {
    SocketWorld world;
    world.pair();
    test::Bytes large(std::size_t{8} << 20u);
    EXPECT_GE(world.write(world.client, 10, &large), ScriptSockets::sent_later);
    EXPECT_GE(world.write(world.client, 11, "behind it"), ScriptSockets::sent_later);
    world.close(world.client);
    EXPECT_EQ(world.write(world.client, 12, "too late"), -EPIPE);
    EXPECT_EQ(world.wait(11)->number, -ECANCELED);
    EXPECT_EQ(world.wait(10)->number, -ECANCELED);
    world.close(world.server);
    world.settle();
}

TEST(ScriptSockets, what_is_not_there_is_an_error_of_the_call) {
    SocketWorld world;
    const double socket = world.open(events_of_client);
    EXPECT_EQ(world.write(socket, 10, "text"), -EPIPE);
    EXPECT_EQ(world.number<&ScriptSockets::read>({socket, 1.0, 0.0}), -ENOTCONN);
    EXPECT_EQ(world.number<&ScriptSockets::finish>({socket, 10.0}), -ENOTCONN);
    EXPECT_EQ(world.number<&ScriptSockets::option>({socket, 0.0, 1.0}), -EBADF);
    EXPECT_EQ(world.number<&ScriptSockets::connect>({99.0, 10.0, "", &world.loopback, port, ""}),
              -EBADF);
    test::Bytes odd(5);
    EXPECT_EQ(world.number<&ScriptSockets::connect>({socket, 10.0, "", &odd, port, ""}), -EINVAL);
    EXPECT_EQ(world.listen(99), -EBADF);
    EXPECT_EQ(world.connect(socket).number, -ECONNREFUSED);
    world.close(socket);
    world.settle();
}

TEST(ScriptSockets, of_a_sandbox_reach_and_listen_where_it_is_permitted) {
    SocketWorld world;
    world.system.allowed = Permissions{.hosts = {"127.0.0.1:9"}};
    const double socket = world.open(events_of_client);
    const Told refused = world.connect(socket);
    EXPECT_EQ(refused.number, -EPERM);
    EXPECT_EQ(refused.text,
              "Pthe address 127.0.0.1:8080 is not permitted: --allow net=127.0.0.1:8080");
    const auto listening =
        world.call<&ScriptSockets::listen>({socket, "", &world.loopback, port, 16.0});
    EXPECT_EQ(listening.given_text, refused.text.substr(1));
    EXPECT_EQ(
        world.call<&ScriptSockets::listen>({socket, "/run/s", &world.none, 0.0, 16.0}).given_number,
        std::nullopt);
    for (const char* const permitted : {"127.0.0.1:8080", "127.0.0.1:*"}) {
        world.system.allowed = Permissions{.hosts = {permitted}};
        EXPECT_EQ(world.connect(socket).number, -ECONNREFUSED) << permitted;
    }
    world.close(socket);
    world.settle();
}

}  // namespace
}  // namespace gyre::script
