// SPDX-License-Identifier: Apache-2.0
// Assertions of gyre/bridge/https.
#include "gyre/bridge/https/https.hpp"

#include <gtest/gtest.h>

#include "gyre/http/server.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {
namespace {

TEST(HttpsAssertionDeathTest, a_server_that_encrypts_with_the_context_of_a_client) {
    http::Server server;
    Context context(ClientOptions{});
    EXPECT_DEATH(encrypt(server, context), "a server encrypts with the context of a server");
}

}  // namespace
}  // namespace gyre::tls
