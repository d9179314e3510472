// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/doc/doc_pages.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lang/vela/doc/internal/html.hpp"
#include "lang/vela/query/index.hpp"

namespace gyre::vela {
namespace {

using internal::comment_html;
using internal::escaped;
using internal::summary_html;

bool is_word(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '_' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool is_test(const Decl& node) {
    return std::any_of(node.decorators.begin(), node.decorators.end(),
                       [](const Decorator& decorator) { return decorator.name.text == "test"; });
}

// "lib/shapes.vela" is "lib.shapes.html".
std::string page_name(std::string title) {
    if (title.ends_with(".vela")) title.resize(title.size() - 5);
    while (title.starts_with("./") || title.starts_with("../")) title.erase(0, title.find('/') + 1);
    for (char& letter : title) {
        if (letter == '/') letter = '.';
        const bool is_plain = is_word(letter) || letter == '.' || letter == '-';
        if (!is_plain) letter = '_';
    }
    return title;
}

// The page of each file, by the path of its module.
using PageNames = std::map<std::string, std::string>;

class PageWriter {
public:
    PageWriter(const DocInput& input, const PageNames& names)
        : input_(input), module_(*input.program->order.back()), names_(names) {}

    [[nodiscard]] const Module& module() const { return module_; }

    std::string page() {
        body_ = concat("<nav><a href=\"index.html\">index</a></nav>\n<h1>", escaped(input_.title),
                       "</h1>\n", comment_html(doc_text(module_)));
        write_types();
        write_functions();
        write_variables();
        return internal::page_html(input_.title, body_);
    }

    // The public names of the file in the order of the text, as links.
    std::string contents() const {
        std::string html;
        for (const Decl* node : shown()) {
            if (node->name.text.empty()) continue;
            html += concat(html.empty() ? "" : ", ", "<a href=\"", names_.at(module_.path), "#",
                           escaped(node->name.text), "\"><code>", escaped(node->name.text),
                           "</code></a>");
        }
        return html;
    }

private:
    std::vector<const Decl*> shown() const {
        std::vector<const Decl*> nodes;
        for (const Decl* node : module_.tree.declarations) {
            const bool is_hidden = node->visibility == Visibility::is_private || is_test(*node) ||
                                   node->kind == DeclKind::import;
            if (!is_hidden) nodes.push_back(node);
        }
        return nodes;
    }

    // The page and anchor of a type that this file can name; empty if it has none.
    std::string target_of(std::string_view name) const {
        const Symbol* symbol = nullptr;
        if (const auto own = module_.declared.find(name); own != module_.declared.end()) {
            symbol = &own->second;
        } else if (const auto other = module_.imported.find(name);
                   other != module_.imported.end()) {
            symbol = other->second;
        }
        const bool is_type = symbol != nullptr && (symbol->kind == SymbolKind::type ||
                                                   symbol->kind == SymbolKind::alias);
        if (!is_type || symbol->module == nullptr || symbol->is_private) return {};
        const auto page = names_.find(symbol->module->path);
        if (page == names_.end()) return {};
        const std::string file = symbol->module == &module_ ? "" : page->second;
        return concat(file, "#", symbol->name.text);
    }

    // A line of code in which the names of types are links.
    std::string code_html(std::string_view text) const {
        std::string html;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_word(text[end])) ++end;
            if (end == at) {
                html += escaped(text.substr(at++, 1));
                continue;
            }
            const std::string_view word = text.substr(at, end - at);
            const std::string target = target_of(word);
            html += target.empty()
                        ? escaped(word)
                        : concat("<a href=\"", escaped(target), "\">", escaped(word), "</a>");
            at = end;
        }
        return html;
    }

    std::string declaration_html(const Decl& node) const {
        Entity entity;
        entity.kind = node.kind == DeclKind::alias ? EntityKind::alias : EntityKind::function;
        entity.name = node.name.text;
        entity.module = &module_;
        entity.node = &node;
        return code_html(declaration_text(entity));
    }

    std::string doc_of(const Name& name) const { return doc_text(module_, name.span.begin); }

    void write_heading(const Decl& node) {
        body_ += concat("<h3 id=\"", escaped(node.name.text), "\">", escaped(node.name.text),
                        "</h3>\n<pre><code>", declaration_html(node), "</code></pre>\n",
                        comment_html(doc_of(node.name)));
    }

    void write_member(std::string_view code, const Name& name) {
        body_ += concat("<dt>", code, "</dt>\n");
        const std::string doc = comment_html(doc_of(name));
        if (!doc.empty()) body_ += concat("<dd>", doc, "</dd>\n");
    }

    void write_variants(const EnumDecl& node) {
        body_ += "<section><dl>\n";
        const auto found = module_.declared.find(node.name.text);
        for (const Variant& variant : node.variants) {
            Entity entity;
            entity.kind = EntityKind::variant;
            entity.name = variant.name.text;
            entity.info = found == module_.declared.end() ? nullptr : found->second.info;
            const std::string text =
                entity.info == nullptr ? std::string(variant.name.text) : declaration_text(entity);
            write_member(code_html(text.substr(std::min(text.find('.') + 1, text.size()))),
                         variant.name);
        }
        body_ += "</dl></section>\n";
    }

    void write_members(const TypeDecl& node) {
        body_ += "<section><dl>\n";
        for (const Decl* member : node.members) {
            if (member->visibility == Visibility::is_private) continue;
            // The state of an actor is not reachable from outside.
            if (node.kind == DeclKind::actor && member->kind == DeclKind::field) continue;
            write_member(declaration_html(*member), member->name);
        }
        body_ += "</dl></section>\n";
    }

    void write_types() {
        bool is_first = true;
        for (const Decl* node : shown()) {
            const bool has_members =
                node->kind == DeclKind::structure || node->kind == DeclKind::klass ||
                node->kind == DeclKind::actor || node->kind == DeclKind::interface;
            const bool is_enum = node->kind == DeclKind::enumeration;
            if (!has_members && !is_enum && node->kind != DeclKind::alias) continue;
            if (std::exchange(is_first, false)) body_ += "<h2>Types</h2>\n";
            write_heading(*node);
            if (is_enum) write_variants(as<EnumDecl>(*node));
            if (has_members) write_members(as<TypeDecl>(*node));
        }
    }

    void write_functions() {
        bool is_first = true;
        for (const Decl* node : shown()) {
            if (node->kind != DeclKind::function) continue;
            if (std::exchange(is_first, false)) body_ += "<h2>Functions</h2>\n";
            write_heading(*node);
        }
    }

    // By name: a variable is declared by a statement, which may declare several.
    void write_variables() {
        std::map<std::string_view, const Symbol*> variables;
        for (const auto& [name, symbol] : module_.declared) {
            if (symbol.kind == SymbolKind::variable && !symbol.is_private) {
                variables[name] = &symbol;
            }
        }
        if (variables.empty()) return;
        body_ += "<h2>Variables</h2>\n<dl>\n";
        for (const auto& [name, symbol] : variables) {
            write_member(code_html(concat(name, ": ", type_text(symbol->type))), symbol->name);
        }
        body_ += "</dl>\n";
    }

    const DocInput& input_;
    const Module& module_;
    const PageNames& names_;
    std::string body_;
};

}  // namespace

std::vector<DocPage> doc_pages(const std::vector<DocInput>& inputs) {
    PageNames names;
    std::set<std::string> taken{"index"};
    for (const DocInput& input : inputs) {
        std::string name = page_name(input.title);
        while (!taken.insert(name).second) name += "-2";
        names[input.program->order.back()->path] = name + ".html";
    }
    std::vector<DocPage> pages;
    std::string list = "<h1>Index</h1>\n<dl>\n";
    for (const DocInput& input : inputs) {
        PageWriter writer(input, names);
        const std::string& name = names.at(writer.module().path);
        pages.push_back({name, writer.page()});
        list +=
            concat("<dt><a href=\"", name, "\">", escaped(input.title), "</a></dt>\n<dd>",
                   summary_html(doc_text(writer.module())), "<br>", writer.contents(), "</dd>\n");
    }
    pages.push_back({"index.html", internal::page_html("Index", list + "</dl>\n")});
    return pages;
}

}  // namespace gyre::vela
