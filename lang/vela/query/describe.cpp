// SPDX-License-Identifier: Apache-2.0
// The text of a declaration, and the comment above it.
#include <algorithm>

#include "lang/vela/query/index.hpp"

namespace gyre::vela {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// On one line, each run of blanks as one.
std::string flattened(std::string_view text) {
    std::string line;
    for (const char letter : trimmed(text)) {
        const bool is_blank = blanks.find(letter) != std::string_view::npos;
        if (!is_blank) {
            line += letter;
        } else if (line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

// Without decorators, each of which may stand on a line of its own.
std::string_view without_decorators(std::string_view text, std::size_t name_at) {
    std::size_t skipped = 0;
    while (skipped < name_at && text.substr(skipped).starts_with('@')) {
        const std::size_t end = text.find_first_of(blanks, skipped);
        if (end == std::string_view::npos) return text;
        skipped = std::min(text.find_first_not_of(blanks, end), text.size());
    }
    return text.substr(std::min(skipped, text.size()));
}

std::string header_text(const Module& module, const Decl& node) {
    Span span = node.span;
    if (node.kind == DeclKind::function || node.kind == DeclKind::constructor) {
        const auto& function = as<FunctionDecl>(node);
        if (function.body != nullptr) span.end = function.body->span.begin;
    } else if (node.kind != DeclKind::field && node.kind != DeclKind::alias) {
        const std::string_view whole = module.source->text(node.span);
        const std::size_t brace = whole.find('{');
        if (brace != std::string_view::npos) {
            span.end = span.begin + static_cast<std::uint32_t>(brace);
        }
    }
    const std::string_view text = module.source->text(span);
    std::string line = flattened(without_decorators(text, node.name.span.begin - span.begin));
    while (line.ends_with(',') || line.ends_with(';')) line.pop_back();
    return line;
}

std::string variant_text(const Entity& entity) {
    std::string text = concat(entity.info->name.text, ".", entity.name);
    for (const VariantInfo& variant : entity.info->variants) {
        if (variant.name.text != entity.name || variant.args.empty()) continue;
        text += '(';
        for (const ParamInfo& arg : variant.args) {
            if (&arg != variant.args.data()) text += ", ";
            if (!arg.name.text.empty()) text += concat(arg.name.text, ": ");
            text += type_text(arg.type);
        }
        text += ')';
    }
    return text;
}

// A comment without its signs.
std::string bare_comment(std::string_view text) {
    if (text.starts_with("/*")) {
        text.remove_prefix(2);
        if (text.ends_with("*/")) text.remove_suffix(2);
        std::string lines;
        std::size_t begin = 0;
        while (begin <= text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            std::string_view line = trimmed(text.substr(begin, end - begin));
            if (line.starts_with('*')) line = trimmed(line.substr(1));
            lines += concat(line, "\n");
            begin = end + 1;
        }
        return std::string(trimmed(lines));
    }
    text.remove_prefix(text.starts_with("//") ? 2 : 1);
    while (text.starts_with('#') || text.starts_with('/')) text.remove_prefix(1);
    if (text.starts_with(' ')) text.remove_prefix(1);
    return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

// The comment that ends on a line and has nothing before it there.
const Span* comment_ending(const Module& module, std::uint32_t line) {
    const Source& source = *module.source;
    for (const Span& comment : module.tree.tokens.comments) {
        if (source.line_number(comment.end > 0 ? comment.end - 1 : 0) != line) continue;
        const std::uint32_t begin = source.line_begin(source.line_number(comment.begin));
        if (trimmed(source.text({begin, comment.begin})).empty()) return &comment;
    }
    return nullptr;
}

// The block of comments whose last line is `line`.
std::string comments_up_to(const Module& module, std::uint32_t line) {
    std::vector<std::string> parts;
    while (line >= 1) {
        const Span* comment = comment_ending(module, line);
        if (comment == nullptr) break;
        parts.push_back(bare_comment(module.source->text(*comment)));
        line = module.source->line_number(comment->begin) - 1;
    }
    std::string text;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) text += concat(*part, "\n");
    return std::string(trimmed(text));
}

}  // namespace

std::string declaration_text(const Entity& entity) {
    switch (entity.kind) {
        case EntityKind::variant:
            return variant_text(entity);
        case EntityKind::generic:
            return concat("type parameter ", entity.name);
        case EntityKind::module:
            return concat("import '", entity.name, "'");
        case EntityKind::variable:
            return concat(entity.name, ": ", type_text(entity.type));
        case EntityKind::field:
            return concat(entity.info->name.text, ".", entity.name, ": ", type_text(entity.type));
        default:
            return entity.node == nullptr ? std::string(entity.name)
                                          : header_text(*entity.module, *entity.node);
    }
}

std::string doc_text(const Module& module, std::uint32_t offset) {
    std::uint32_t line = module.source->line_number(offset);
    // Decorators stand between the comment and the declaration.
    while (line > 1 && trimmed(module.source->line(line - 1)).starts_with('@')) --line;
    return line == 1 ? std::string() : comments_up_to(module, line - 1);
}

std::string doc_text(const Module& module) {
    const Tree& tree = module.tree;
    if (tree.doc.end > tree.doc.begin) {
        std::string_view text = module.source->text(tree.doc);
        if (text.starts_with("\"\"\"")) text.remove_prefix(3);
        if (text.ends_with("\"\"\"")) text.remove_suffix(3);
        return std::string(trimmed(text));
    }
    if (tree.tokens.comments.empty()) return {};
    const std::uint32_t first =
        tree.tokens.tokens.empty() ? UINT32_MAX : tree.tokens.tokens.front().span.begin;
    // The comments at the top, up to the first that the next line does not go on with.
    std::uint32_t last_line = 0;
    for (const Span& comment : tree.tokens.comments) {
        const std::uint32_t begin = module.source->line_number(comment.begin);
        if (comment.begin > first || (last_line != 0 && begin != last_line + 1)) break;
        last_line = module.source->line_number(comment.end > 0 ? comment.end - 1 : 0);
    }
    if (last_line == 0) return {};
    // A comment that directly precedes a declaration is that declaration's, unless it is an import.
    for (const Decl* node : tree.declarations) {
        const bool is_next = module.source->line_number(node->span.begin) == last_line + 1;
        if (is_next && node->kind != DeclKind::import) return {};
    }
    return comments_up_to(module, last_line);
}

}  // namespace gyre::vela
