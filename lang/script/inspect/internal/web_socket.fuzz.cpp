// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes of a client give the same messages, and the same error, at once and in pieces; and
// any request gets an answer.
#include "lang/script/inspect/internal/web_socket.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/script/inspect/internal/debug_request.hpp"

namespace gyre::script {
namespace {

std::string story_of(std::string_view input, std::size_t piece) {
    constexpr std::size_t size_max = 1024;
    WebSocketParser parser(size_max);
    std::string story;
    try {
        for (std::size_t at = 0; at < input.size(); at += piece) {
            parser.feed(bytes_of(input.substr(at, piece)));
            while (const auto message = parser.next()) {
                GYRE_ASSERT(message->payload.size() <= size_max, "a message is bounded");
                story += std::to_string(static_cast<int>(message->kind)) + message->payload + "\n";
            }
        }
    } catch (const WebSocketError& error) {
        story += std::to_string(error.code());
    }
    return story;
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gyre::script;
    const std::string_view input(reinterpret_cast<const char*>(data),
                                 std::min<std::size_t>(size, 4096));
    const std::string whole = story_of(input, input.size() + 1);
    GYRE_ASSERT(whole == story_of(input, 1), "bytes are the same messages one by one");
    GYRE_ASSERT(whole == story_of(input, 5), "bytes are the same messages in pieces");
    const DebugAnswer answer =
        answer_debug_request(input, {.id = "id", .title = "t", .url = "u", .host = "h"});
    GYRE_ASSERT(answer.response.starts_with("HTTP/1.1 "), "each request gets an answer");
    return 0;
}
