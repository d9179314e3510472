// SPDX-License-Identifier: Apache-2.0
// Two engines connected without a loop: the results of a handshake, refused certificates, and the
// end of a connection.
#include "gyre/tls/internal/engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {
namespace {

constexpr const char* any_name =
    "DNS:example.test,DNS:other.test,DNS:a.test,DNS:b.test,DNS:c.test,DNS:d.test";

// The output for the network.
std::string take_output(Engine& from) {
    std::string all;
    for (ConstBytes piece = from.output(); !piece.empty(); piece = from.output()) {
        all += text_of(piece);
        from.output_sent(piece.size());
    }
    return all;
}

struct Ends {
    std::optional<TlsError> client = std::nullopt;
    std::optional<TlsError> server = std::nullopt;
};

// One step of one side; returns whether its handshake is done.
bool shake(Engine& engine, std::optional<TlsError>& failure) {
    if (failure) return true;
    try {
        return engine.handshake() == Wants::nothing;
    } catch (const TlsError& error) {
        failure = error;
        return true;
    }
}

// In pieces of at most this size.
Ends shake_hands(Engine& client, Engine& server, std::size_t piece_bytes = 4096) {
    Ends ends;
    const auto carry = [piece_bytes](Engine& from, Engine& to, std::optional<TlsError>& failure) {
        const std::string bytes = take_output(from);
        bool is_done = false;
        for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
            to.give_input(bytes_of(std::string_view(bytes).substr(at, piece_bytes)));
            is_done = shake(to, failure);
        }
        return is_done;
    };
    static_cast<void>(shake(client, ends.client));
    for (int turn = 0; turn < 4; ++turn) {
        carry(client, server, ends.server);
        carry(server, client, ends.client);
    }
    return ends;
}

std::string read_all(Engine& engine) {
    std::string all;
    std::array<std::byte, 100> buffer{};
    for (;;) {
        const Step step = engine.read(buffer);
        if (step.size == 0) return all;
        all += text_of(ConstBytes(buffer).first(step.size));
    }
}

// Moves the output of `from` to the input of `to`.
void carry(Engine& from, Engine& to) {
    to.give_input(bytes_of(take_output(from)));
}

class Engines : public testing::Test {
protected:
    static Authority& authority() {
        static Authority one;
        return one;
    }
    static ClientOptions trusting() { return {.authorities = authority().pem()}; }
    static ServerOptions serving(Certificate certificate = authority().issue("server")) {
        return {.certificates = {std::move(certificate)}};
    }
    // The reason why the client refuses a server with this certificate.
    static std::string refusal_of(const Wanted& wanted, ClientOptions options = trusting()) {
        Context client(std::move(options));
        Context server(serving(authority().issue("refused", wanted)));
        Engine near(client, "example.test");
        Engine far(server);
        const Ends ends = shake_hands(near, far);
        if (!ends.client) return "taken";
        EXPECT_EQ(ends.client->kind(), TlsError::Kind::certificate);
        EXPECT_EQ(ends.client->code(), std::errc::permission_denied);
        EXPECT_EQ(ends.server.value().kind(), TlsError::Kind::refused);
        const std::string text = ends.client->what();
        return text.substr(text.find(": ") + 2);
    }
};

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

TEST_F(Engines, refuse_certificates_that_are_not_good_and_say_why) {
    EXPECT_EQ(refusal_of({}), "taken");
    EXPECT_EQ(refusal_of({.valid_from_s = -7200, .valid_until_s = -3600}),
              "certificate has expired");
    EXPECT_EQ(refusal_of({.valid_from_s = 3600, .valid_until_s = 7200}),
              "certificate is not yet valid");
    EXPECT_EQ(refusal_of({.names = "DNS:other.test"}), "hostname mismatch");
    EXPECT_EQ(refusal_of({.is_self_signed = true}), "self-signed certificate");
    EXPECT_EQ(refusal_of({}, {}), "unable to get local issuer certificate");
    EXPECT_EQ(refusal_of({.names = "DNS:*.test"}), "hostname mismatch");  // Too wide.
    EXPECT_EQ(refusal_of({.names = "DNS:other.test", .is_self_signed = true}, {.verifies = false}),
              "taken");
}

TEST_F(Engines, judge_certificates_by_the_time_they_are_given) {
    ClientOptions options = trusting();
    options.wall_time = []() -> UnixSeconds { return 0; };
    EXPECT_EQ(refusal_of({}, options), "certificate is not yet valid");
}

TEST_F(Engines, find_an_address_in_the_certificate_and_do_not_ask_the_server_for_it) {
    Context client(trusting());
    Context server(serving(authority().issue("address", {.names = "IP:127.0.0.1"})));
    Engine near(client, "127.0.0.1");
    Engine far(server);
    EXPECT_FALSE(shake_hands(near, far).client);
    EXPECT_EQ(far.server_name(), "");
    Engine other(client, "127.0.0.2");
    Engine other_far(server);
    EXPECT_STREQ(shake_hands(other, other_far).client.value().what(),
                 "the certificate of the peer is refused: IP address mismatch");
}

TEST_F(Engines, show_the_certificate_that_has_the_name_asked_for) {
    ClientOptions anybody{.verifies = false};
    Context client(anybody);
    ServerOptions options = serving(authority().issue("one", {.subject = "one"}));
    options.certificates.push_back(
        authority().issue("two", {.subject = "two", .names = "DNS:*.two.test,DNS:two.test"}));
    Context server(options);
    const auto subject_for = [&](const std::string& name) {
        Engine near(client, name);
        Engine far(server);
        static_cast<void>(shake_hands(near, far));
        return near.peer_subject();
    };
    EXPECT_EQ(subject_for("example.test"), "CN=one");
    EXPECT_EQ(subject_for("two.test"), "CN=two");
    EXPECT_EQ(subject_for("www.two.test"), "CN=two");
    EXPECT_EQ(subject_for("unknown.test"), "CN=one");
}

TEST_F(Engines, ask_for_the_certificate_of_the_client) {
    const Certificate good = authority().issue("alice", {.subject = "alice"});
    const Certificate bad = authority().issue("mallory", {.is_self_signed = true});
    const auto outcome = [&](ClientCertificates wanted, const std::optional<Certificate>& shown) {
        ClientOptions client_options = trusting();
        client_options.certificate = shown;
        ServerOptions server_options = serving();
        server_options.client_certificates = wanted;
        server_options.authorities = authority().pem();
        Context client(client_options);
        Context server(server_options);
        Engine near(client, "example.test");
        Engine far(server);
        const Ends ends = shake_hands(near, far);
        if (!ends.server) return far.peer_subject();
        EXPECT_EQ(ends.server->kind(), TlsError::Kind::certificate);
        EXPECT_THROW(static_cast<void>(read_all(near)), TlsError);
        return std::string(ends.server->what());
    };
    const std::string refused = "the certificate of the peer is refused: self-signed certificate";
    EXPECT_EQ(outcome(ClientCertificates::none, good), "");
    EXPECT_EQ(outcome(ClientCertificates::asked, good), "CN=alice");
    EXPECT_EQ(outcome(ClientCertificates::asked, {}), "");
    EXPECT_EQ(outcome(ClientCertificates::asked, bad), refused);
    EXPECT_EQ(outcome(ClientCertificates::required, good), "CN=alice");
    EXPECT_EQ(outcome(ClientCertificates::required, {}), "the peer has no certificate");
    EXPECT_EQ(outcome(ClientCertificates::required, bad), refused);
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

TEST_F(Engines, show_after_a_reload_the_new_certificate_and_the_others_go_on) {
    Context client(trusting());
    Context server(serving(authority().issue("renewed", {.subject = "old"})));
    Engine old_near(client, "example.test");
    Engine old_far(server);
    EXPECT_FALSE(shake_hands(old_near, old_far).client);
    Certificate renewed = authority().issue("renewed", {.subject = "new"});
    server.reload(serving(renewed));
    client.reload(trusting());
    const auto subject = [&] {
        Engine near(client, "example.test");
        Engine far(server);
        EXPECT_FALSE(shake_hands(near, far).client);
        return near.peer_subject();
    };
    EXPECT_EQ(subject(), "CN=new");
    EXPECT_EQ(old_near.write(bytes_of("still here")).size, 10U);
    carry(old_near, old_far);
    EXPECT_EQ(read_all(old_far), "still here");

    renewed.key.text.clear();
    EXPECT_THROW(server.reload(serving(renewed)), TlsError);
    EXPECT_EQ(subject(), "CN=new");
    EXPECT_THROW(client.reload(ClientOptions{.authorities = Pem{"no PEM"}}), TlsError);
    EXPECT_EQ(subject(), "CN=new");
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

TEST_F(Engines, show_the_whole_chain_and_trust_every_authority_of_a_text) {
    const Authority stranger("a stranger");
    ClientOptions options = trusting();
    options.authorities->text = "words before it\n" + stranger.pem().text + authority().pem().text;
    EXPECT_EQ(refusal_of({}, options), "taken");
    Certificate chained = authority().issue("chained");
    chained.chain.text += authority().pem().text;
    Context client(trusting());
    Context server(serving(chained));
    Engine near(client, "example.test");
    Engine far(server);
    EXPECT_FALSE(shake_hands(near, far).client);
    chained.chain.text += "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n";
    EXPECT_THROW(Context{serving(chained)}, TlsError);
}

TEST_F(Engines, need_texts_that_are_certificates_and_keys_and_belong_together) {
    const Certificate one = authority().issue("one");
    const Certificate two = authority().issue("two");
    const auto why = [](const Certificate& certificate) -> std::string {
        try {
            const Context server(serving(certificate));
            return "taken";
        } catch (const TlsError& error) {
            EXPECT_EQ(error.kind(), TlsError::Kind::pem);
            return error.what();
        }
    };
    EXPECT_EQ(why(one), "taken");
    EXPECT_EQ(why({}), "cannot use the certificate: no start line");
    EXPECT_EQ(why({one.key, one.key}), "cannot use the certificate in one.key: no start line");
    EXPECT_EQ(why({one.chain, two.key}), "cannot use the key in two.key: key values mismatch");
    EXPECT_TRUE(why({one.chain, one.chain}).starts_with("cannot use the key in one.pem: "));
    EXPECT_THROW(Context(ServerOptions{.certificates = {}}), TlsError);
    const auto why_not = [](const Pem& authorities) -> std::string {
        try {
            const Context client(ClientOptions{.authorities = authorities});
            return "taken";
        } catch (const TlsError& error) {
            return error.what();
        }
    };
    EXPECT_EQ(why_not({"no PEM", "a.pem"}),
              "cannot use the authorities in a.pem: no certificate or crl found");
    EXPECT_EQ(why_not({"no PEM"}), "cannot use the authorities: no certificate or crl found");
    // An empty file must not mean all whom the system trusts.
    EXPECT_EQ(why_not({}), "cannot use the authorities: no certificate or crl found");
    EXPECT_EQ(why_not(authority().pem()), "taken");
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
