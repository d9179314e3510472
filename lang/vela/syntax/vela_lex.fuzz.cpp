// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes lex to tokens in the order of the text, with consistent bracket partners
// and a final end_of_file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/base/assert.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/lexer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::vela;
    const Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size_bytes));
    Diagnostics diagnostics;
    const TokenList list = lex(source, diagnostics);
    GYRE_ASSERT(!list.tokens.empty(), "there is always an end");
    GYRE_ASSERT(list.tokens.back().kind == TokenKind::end_of_file, "the end is last");
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
        const Token& token = list.tokens[i];
        GYRE_ASSERT(token.span.begin >= end, "tokens stand in order");
        GYRE_ASSERT(token.span.end <= size_bytes, "tokens stand in the text");
        end = token.span.end;
        if (token.partner == Token::no_partner) continue;
        GYRE_ASSERT(list.tokens[token.partner].partner == i, "partners agree");
    }
    const auto sorted = diagnostics.sorted();
    const std::string text = report(sorted) + report_json(sorted);
    return text.empty() ? -1 : 0;
}
