// SPDX-License-Identifier: Apache-2.0
// Certificates of two engines: which are refused and why, which one a server shows, reloads, and
// certificates of clients.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "gyre/tls/internal/engines.test.hpp"

namespace gyre::tls {
namespace {

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

}  // namespace
}  // namespace gyre::tls
