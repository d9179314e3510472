// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/repl/repl_session.hpp"

#include <algorithm>

#include "lang/vela/query/index.hpp"

namespace gyre::vela {
namespace {

bool is_word_part(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '_' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

// A line that ends with it goes on in the next.
bool continues(TokenKind kind) {
    switch (kind) {
        case TokenKind::comma:
        case TokenKind::dot:
        case TokenKind::question_dot:
        case TokenKind::double_colon:
        case TokenKind::double_question:
        case TokenKind::arrow:
        case TokenKind::fat_arrow:
        case TokenKind::kw_else:
            return true;
        default:
            return kind >= TokenKind::assign && kind <= TokenKind::bang;
    }
}

int depth_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::paren_open:
        case TokenKind::bracket_open:
        case TokenKind::brace_open:
        case TokenKind::string_head:
            return 1;
        case TokenKind::paren_close:
        case TokenKind::bracket_close:
        case TokenKind::brace_close:
        case TokenKind::string_tail:
            return -1;
        default:
            return 0;
    }
}

bool is_odd_count(std::string_view text, std::string_view part) {
    bool is_odd = false;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size())) {
        is_odd = !is_odd;
    }
    return is_odd;
}

}  // namespace

ReplSession::ReplSession(SourceFiles& files) : check_(files), lowered_(lower(check_.program())) {
    lowered_count_ = check_.program().order.size();
}

bool ReplSession::is_complete(const std::string& input) const {
    if (input.size() > input_bytes_max) return true;
    if (is_odd_count(input, "\"\"\"")) return false;
    const std::size_t comment = input.rfind("/*");
    if (comment != std::string::npos && input.find("*/", comment) == std::string::npos) {
        return false;
    }
    const Source source("", input);
    Diagnostics ignored;
    const Tree tree = parse(source, ignored);
    int depth = 0;
    TokenKind last = TokenKind::end_of_file;
    for (const Token& token : tree.tokens.tokens) {
        if (token.kind == TokenKind::end_of_file) break;
        depth += depth_of(token.kind);
        last = token.kind;
    }
    return depth <= 0 && !continues(last);
}

std::expected<AddedInput, std::string> ReplSession::add(const std::string& input) {
    warnings_.clear();
    if (input.size() > input_bytes_max) {
        return std::unexpected(concat("the limit on an input is ", std::to_string(input_bytes_max),
                                      " bytes (input_bytes_max)\n"));
    }
    const bool is_right = check_.add(input);
    const std::string told = report(check_.program().diagnostics.sorted());
    if (!is_right) return std::unexpected(told);
    warnings_ = told;
    const AddedInput added{lowered_->globals.size(), check_.value()};
    lower_more(*lowered_, lowered_count_);
    lowered_count_ = check_.program().order.size();
    return added;
}

std::expected<std::string, std::string> ReplSession::type_of(const std::string& input) {
    std::expected<std::string, std::string> found = std::unexpected("that is not an expression\n");
    check_.look_at(input, "", [&](const Program& program, const Module& module) {
        if (program.diagnostics.has_errors()) {
            found = std::unexpected(report(program.diagnostics.sorted()));
            return;
        }
        const auto value = module.declared.find("it");
        if (value != module.declared.end()) found = type_text(value->second.type);
    });
    return found;
}

std::vector<std::string> ReplSession::completions(const std::string& input) {
    std::vector<std::string> names;
    if (input.size() > input_bytes_max) return names;
    std::size_t begin = input.size();
    while (begin > 0 && is_word_part(input[begin - 1])) --begin;
    const std::string prefix = input.substr(begin);
    std::string asked = prefix + "AskedHere";
    while (input.find(asked) != std::string::npos) asked += 'X';
    std::string closers;
    for (std::size_t i = 0; i < begin; ++i) {
        const char letter = input[i];
        if (letter == '(') closers += ')';
        if (letter == '[') closers += ']';
        if (letter == '{') closers += '}';
        const bool closes = letter == ')' || letter == ']' || letter == '}';
        if (closes && !closers.empty()) closers.pop_back();
    }
    std::reverse(closers.begin(), closers.end());
    const auto collect = [&](const Program& program, const Module& module) {
        for (const Candidate& candidate : candidates(program, module)) {
            if (candidate.name.starts_with(prefix)) names.push_back(candidate.name);
        }
    };
    check_.look_at(concat(input.substr(0, begin), asked, closers), asked, collect);
    return names;
}

}  // namespace gyre::vela
