// SPDX-License-Identifier: Apache-2.0
// Fuzz target: MessageParser finds the same messages in bytes at once and byte by byte, as a server and
// as a client, and its list is well formed.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/assert.hpp"
#include "lang/script/http/internal/message_parser.hpp"

namespace gyre::script {
namespace {

using Texts = std::vector<std::string_view>;

Texts texts_of(std::string_view list) {
    Texts made;
    while (!list.empty()) {
        const std::size_t end = list.find('\0');
        GYRE_ASSERT(end != list.npos, "each text ends with NUL");
        made.push_back(list.substr(0, end));
        list.remove_prefix(end + 1);
    }
    return made;
}

std::size_t number(std::string_view text) {
    return std::stoul(std::string(text));
}

// Characters, of which each has one byte that does not continue another one, with the NULs.
std::size_t letters_of(std::span<const std::string_view> texts) {
    std::size_t made = texts.size();
    for (const std::string_view text : texts) {
        made += static_cast<std::size_t>(
            std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
    }
    return made;
}

// The list, with the pieces of a body put together and without offsets.
void add_shown(std::string_view list, std::string_view input, std::string& shown) {
    const Texts texts = texts_of(list);
    for (std::size_t at = 0; at < texts.size();) {
        const char kind = texts[at].front();
        if (kind == 'B') {
            const std::size_t offset = number(texts[at + 1]);
            const std::size_t size = number(texts[at + 2]);
            GYRE_ASSERT(offset <= input.size() && size <= input.size() - offset, "in the input");
            shown += input.substr(offset, size);
            at += 3;
        } else if (kind == 'H' || kind == 'E') {
            const std::size_t before = kind == 'H' ? 5 : 1;
            const std::size_t count = 2 * number(texts[at + before]);
            const std::size_t from = at + before + (kind == 'H' ? 2 : 1);
            const std::size_t end = from + count;
            GYRE_ASSERT(end <= texts.size(), "all fields are there");
            if (kind == 'H') {
                GYRE_ASSERT(
                    letters_of(std::span(texts).subspan(from, count)) == number(texts[at + 6]),
                    "the length of the fields");
            }
            for (; at < end; ++at) shown += "|" + std::string(texts[at]);
            shown += '|';
        } else {
            GYRE_ASSERT(kind == 'U' || kind == 'X', "a kind of the list");
            shown += std::string("|") + kind;
            at = texts.size();
        }
    }
}

std::string parse(std::string_view bytes, std::size_t piece_bytes, bool is_response) {
    MessageParser parser(is_response, 400, false);
    std::string shown;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        const std::string_view piece = bytes.substr(at, piece_bytes);
        add_shown(parser.feed(piece, MessageParser::takes_upgrades), piece, shown);
    }
    add_shown(parser.finish(), {}, shown);
    return shown;
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const bool is_response : {false, true}) {
        GYRE_ASSERT(gyre::script::parse(bytes, bytes.size() + 1, is_response) ==
                        gyre::script::parse(bytes, 1, is_response),
                    "bytes are the same messages in pieces");
    }
    return 0;
}
