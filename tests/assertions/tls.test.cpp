// SPDX-License-Identifier: Apache-2.0
// Assertions of gyre/tls.
#include <gtest/gtest.h>

#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/engine.hpp"

namespace gyre::tls {
namespace {

TEST(TlsAssertionDeathTest, a_ticket_key_of_another_size) {
    Authority authority;
    ServerOptions options{.certificates = {authority.issue("example")}};
    options.ticket_key.resize(3);
    EXPECT_DEATH(Context{options}, "a ticket key is made by make_ticket_key");
}

TEST(TlsAssertionDeathTest, room_for_input_while_input_is_left) {
    Context context(ClientOptions{});
    Engine engine(context, "example.test");
    engine.give_input(bytes_of("not TLS"));
    EXPECT_DEATH(static_cast<void>(engine.input_room()),
                 "input_room while input is left: read first");
}

}  // namespace
}  // namespace gyre::tls
