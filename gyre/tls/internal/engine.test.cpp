// SPDX-License-Identifier: Apache-2.0
// Two engines connected without a loop: the results of a handshake, resumed sessions, and the end
// of a connection.
#include "gyre/tls/internal/engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "gyre/tls/internal/engines.test.hpp"

namespace gyre::tls {
namespace {

TEST_F(Engines, agree_on_the_newest_version_and_the_dearest_protocol_of_the_server) {
    ClientOptions client_options = trusting();
    client_options.protocols = {"http/1.1", "other"};
    ServerOptions server_options = serving();
    server_options.protocols = {"h2", "other", "http/1.1"};
    Context client(client_options);
    Context server(server_options);
    Engine near(client, "example.test");
    Engine far(server);
    const Ends ends = shake_hands(near, far);
    EXPECT_FALSE(ends.client);
    EXPECT_FALSE(ends.server);
    EXPECT_EQ(near.version(), "TLSv1.3");
    EXPECT_EQ(near.protocol(), "other");
    EXPECT_EQ(far.protocol(), "other");
    EXPECT_EQ(far.server_name(), "example.test");
    EXPECT_EQ(near.peer_subject(), "CN=example.test");
}

TEST_F(Engines, without_a_common_protocol_do_not_talk) {
    ClientOptions client_options = trusting();
    client_options.protocols = {"this"};
    ServerOptions server_options = serving();
    server_options.protocols = {"that"};
    Context client(client_options);
    Context server(server_options);
    Engine near(client, "example.test");
    Engine far(server);
    const Ends ends = shake_hands(near, far);
    EXPECT_EQ(ends.server.value().kind(), TlsError::Kind::protocol);
    EXPECT_EQ(ends.client.value().kind(), TlsError::Kind::refused);
}

TEST_F(Engines, take_bytes_that_come_one_at_a_time) {
    Context client(trusting());
    Context server(serving());
    Engine near(client, "example.test");
    Engine far(server);
    const Ends ends = shake_hands(near, far, 1);
    EXPECT_FALSE(ends.client);
    EXPECT_FALSE(ends.server);
    EXPECT_EQ(near.write(bytes_of("hello")).size, 5U);
    for (const char byte : take_output(near)) {
        EXPECT_EQ(read_all(far), "");
        far.give_input(bytes_of(std::string_view(&byte, 1)));
    }
    EXPECT_EQ(read_all(far), "hello");
}

TEST_F(Engines, go_on_with_a_session_of_the_same_name) {
    ServerOptions options = serving(authority().issue("any", {.names = any_name}));
    options.ticket_key = make_ticket_key();
    Context client(trusting());
    Context first(options);
    Context second(options);
    Context stranger(serving(authority().issue("any", {.names = any_name})));
    const auto is_resumed = [&](Context& server, const std::string& name) {
        Engine near(client, name);
        Engine far(server);
        EXPECT_FALSE(shake_hands(near, far).client);
        EXPECT_EQ(read_all(near), "");  // The session ticket arrives after the handshake.
        EXPECT_EQ(near.is_resumed(), far.is_resumed());
        return near.is_resumed();
    };
    EXPECT_FALSE(is_resumed(first, "example.test"));
    EXPECT_EQ(client.session_count(), 1U);
    EXPECT_TRUE(is_resumed(first, "example.test"));
    EXPECT_FALSE(is_resumed(first, "other.test"));
    EXPECT_TRUE(is_resumed(second, "example.test"));
    EXPECT_FALSE(is_resumed(stranger, "example.test"));
    EXPECT_FALSE(is_resumed(first, "example.test"));
    first.reload(options);
    EXPECT_TRUE(is_resumed(first, "example.test")) << "it has the key that it was given";
    options.ticket_key = make_ticket_key();
    first.reload(options);
    EXPECT_FALSE(is_resumed(first, "example.test"));
    EXPECT_FALSE(is_resumed(second, "example.test"));
    second.reload(options);
    EXPECT_FALSE(is_resumed(second, "example.test")) << "its session is of before";
    EXPECT_TRUE(is_resumed(first, "example.test"));
    client.reload(trusting());
    EXPECT_EQ(client.session_count(), 0U);
    EXPECT_FALSE(is_resumed(first, "other.test"));
}

TEST_F(Engines, keep_no_more_sessions_than_they_may) {
    ClientOptions options = trusting();
    options.session_count_max = 2;
    Context client(options);
    Context server(serving(authority().issue("any", {.names = any_name})));
    for (const char* name : {"a.test", "b.test", "c.test", "d.test"}) {
        Engine near(client, name);
        Engine far(server);
        EXPECT_FALSE(shake_hands(near, far).client);
        EXPECT_EQ(read_all(near), "");
    }
    EXPECT_EQ(client.session_count(), 2U);
}

TEST_F(Engines, of_a_server_that_resumes_nothing_give_no_session) {
    ServerOptions options = serving();
    options.resumes = false;
    Context client(trusting());
    Context server(options);
    Engine near(client, "example.test");
    Engine far(server);
    EXPECT_FALSE(shake_hands(near, far).client);
    EXPECT_EQ(read_all(near), "");
    EXPECT_EQ(client.session_count(), 0U);
}

TEST_F(Engines, agree_after_a_reload_on_the_new_protocols) {
    ClientOptions client_options = trusting();
    ServerOptions server_options = serving();
    client_options.protocols = server_options.protocols = {"old"};
    Context client(client_options);
    Context server(server_options);
    client_options.protocols = server_options.protocols = {"new"};
    client.reload(client_options);
    server.reload(server_options);
    Engine near(client, "example.test");
    Engine far(server);
    const Ends ends = shake_hands(near, far);
    EXPECT_FALSE(ends.client);
    EXPECT_FALSE(ends.server);
    EXPECT_EQ(near.protocol(), "new");
}

class Connected : public Engines {
protected:
    void SetUp() override {
        const Ends ends = shake_hands(near, far);
        ASSERT_FALSE(ends.client);
        ASSERT_FALSE(ends.server);
    }
    Context client{trusting()};
    Context server{serving()};
    Engine near{client, "example.test"};
    Engine far{server};
};

TEST_F(Connected, an_end_with_a_farewell_is_an_end) {
    EXPECT_EQ(near.write(bytes_of("bye")).size, 3U);
    EXPECT_EQ(near.close(), Wants::nothing);
    EXPECT_EQ(near.close(), Wants::nothing);
    carry(near, far);
    far.end_input();
    EXPECT_EQ(read_all(far), "bye");
    std::array<std::byte, 1> buffer{};
    const Step end = far.read(buffer);
    EXPECT_EQ(end.wants, Wants::nothing);
    // The other direction goes on.
    EXPECT_EQ(far.write(bytes_of("answer")).size, 6U);
    carry(far, near);
    EXPECT_EQ(read_all(near), "answer");
}

TEST_F(Connected, an_end_without_a_farewell_is_an_error_that_stays) {
    EXPECT_EQ(near.write(bytes_of("half")).size, 4U);
    carry(near, far);
    far.end_input();
    std::array<std::byte, 4> buffer{};
    EXPECT_EQ(far.read(buffer).size, 4U);
    for (int i = 0; i < 2; ++i) {
        try {
            static_cast<void>(far.read(buffer));
            FAIL() << "a truncated stream has ended well";
        } catch (const TlsError& error) {
            EXPECT_EQ(error.kind(), TlsError::Kind::truncated);
            EXPECT_EQ(error.code(), std::errc::connection_aborted);
        }
    }
}

TEST_F(Connected, a_byte_that_was_changed_is_an_error) {
    EXPECT_EQ(near.write(bytes_of("hello")).size, 5U);
    std::string bytes = take_output(near);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    far.give_input(bytes_of(bytes));
    std::array<std::byte, 8> buffer{};
    try {
        static_cast<void>(far.read(buffer));
        FAIL() << "a changed byte was taken";
    } catch (const TlsError& error) {
        EXPECT_EQ(error.kind(), TlsError::Kind::protocol);
    }
}

TEST_F(Connected, a_writer_gets_no_further_than_the_buffer_while_nothing_goes_out) {
    const std::string large(1'000'000, 'x');
    ConstBytes rest = bytes_of(large);
    Step step;
    do {
        step = near.write(rest);
        rest = rest.subspan(step.size);
    } while (step.wants == Wants::nothing);
    EXPECT_EQ(step.wants, Wants::room);
    const std::string out = take_output(near);
    EXPECT_LT(out.size(), 40'000U);
    EXPECT_GT(near.write(rest).size, 0U);
}

TEST_F(Engines, of_a_server_hear_a_client_that_does_not_encrypt) {
    Context server(serving());
    Engine far(server);
    far.give_input(bytes_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    std::optional<TlsError> failure;
    EXPECT_TRUE(shake(far, failure));
    EXPECT_EQ(failure.value().kind(), TlsError::Kind::protocol);
    EXPECT_STREQ(failure->what(), "TLS failed: http request");
}

// needs_input() makes a reader wait for the network: if it were wrong, the reader would hang.
TEST_F(Engines, know_when_a_read_would_only_want_input) {
    Context client(trusting());
    Context server(serving());
    Engine near(client, "example.test");
    Engine far(server);
    const Ends ends = shake_hands(near, far);
    ASSERT_FALSE(ends.server);
    EXPECT_TRUE(far.needs_input());
    EXPECT_EQ(near.write(bytes_of("hello")).size, 5U);
    EXPECT_EQ(near.write(bytes_of("again")).size, 5U);
    carry(near, far);
    EXPECT_FALSE(far.needs_input());
    std::array<std::byte, 2> two{};
    EXPECT_EQ(far.read(two).size, 2U);
    EXPECT_FALSE(far.needs_input());
    EXPECT_EQ(read_all(far), "lloagain");
    EXPECT_TRUE(far.needs_input());
    EXPECT_EQ(near.close(), Wants::nothing);
    carry(near, far);
    EXPECT_FALSE(far.needs_input());
    EXPECT_EQ(far.read(two).wants, Wants::nothing);
    EXPECT_FALSE(far.needs_input()) << "the end is told again";
    near.end_input();
    EXPECT_FALSE(near.needs_input()) << "that it is an accident is to be told";
}

}  // namespace
}  // namespace gyre::tls
