// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the natives of node:tls take any bytes of a network, at once and in pieces, as a client
// and as a server: the same state and error come of both, and never more plaintext than may wait.
#include "lang/script/internal/tls_natives.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/script/made_call.test.hpp"

namespace gyre::script {
namespace {

using test::Bytes;
using test::MadeCall;

std::string last_words(bool is_server, std::string_view input, std::size_t piece_bytes) {
    NativeStates states;
    MadeCall context({is_server ? 1.0 : 0.0, "", "", "", "", "ALL:@SECLEVEL=0", "", 10.0, 13.0});
    tls::context(states, context);
    if (!context.given_number) return {};  // no OpenSSL
    MadeCall open(
        {*context.given_number, is_server ? 1.0 : 0.0, "a.example", "h2,http/1.1,", 1.0, 0.0});
    tls::open(states, open);
    GYRE_ASSERT(open.given_number.has_value(), "a connection of a context opens");
    std::string state;
    for (std::size_t at = 0; at < input.size() || at == 0; at += piece_bytes) {
        const std::string_view piece = input.substr(std::min(at, input.size()), piece_bytes);
        const auto* const data = reinterpret_cast<const std::byte*>(piece.data());
        Bytes bytes(data, data + piece.size());
        MadeCall feed({*open.given_number, &bytes});
        tls::feed(states, feed);
        MadeCall run({*open.given_number});
        tls::run(states, run);
        GYRE_ASSERT(run.given_text && run.given_text->size() >= 6, "four words");
        state = run.given_text->substr(0, 1) + run.given_text->substr(run.given_text->rfind(' '));
        MadeCall info({*open.given_number, "peer"});
        tls::info(states, info);
    }
    return state;
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data),
                                 std::min<std::size_t>(size, 4096));
    for (const bool is_server : {false, true}) {
        GYRE_ASSERT(gyre::script::last_words(is_server, input, input.size() + 1) ==
                        gyre::script::last_words(is_server, input, 7),
                    "bytes are the same TLS in pieces");
    }
    return 0;
}
