// SPDX-License-Identifier: Apache-2.0
// check: the type checker of Vela: files in, diagnostics out; for a correct program also its names,
// types, async rules and resolved calls. It reads imported files through SourceFiles.
//
//     vela::SourceTable files{{{"lib.vela", "fn one() -> Number { 1 }\n"}}};
//     const auto program = vela::check("main.vela", "import './lib.vela'\n", files);
//     std::fputs(vela::report(program->diagnostics.sorted()).c_str(), stderr);
//
// Thread: one at a time.
// Lifetime: the Program owns all results; its diagnostics point into it. SourceFiles outlives the
// call.
#pragma once

#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/vela/check/detail/editor_facts.hpp"
#include "lang/vela/check/detail/types.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

// Reads the files that a program imports, on the thread of the check.
class SourceFiles {
public:
    // The text of a file, or an error in one line. The path is the import, relative to the folder
    // of the importing file, in normal form.
    [[nodiscard]] virtual std::expected<std::string, std::string> read(const std::string& path) = 0;

protected:
    ~SourceFiles() = default;
};

// Files by path.
class SourceTable final : public SourceFiles {
public:
    SourceTable() = default;
    explicit SourceTable(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override {
        const auto found = texts_.find(path);
        if (found == texts_.end()) return std::unexpected(path + ": there is none");
        return found->second;
    }

private:
    std::map<std::string, std::string> texts_;
};

struct CheckOptions {
    Limits limits;
    // Also warns of assignments to variables that are not marked `state` (W0402).
    bool is_strict = false;
    // Also checks what is whole of a program with syntax errors, and records EditorFacts.
    bool is_for_editor = false;
    // A name that stands at the place an editor asks about, and nowhere else: EditorFacts::asked
    // tells what could stand there. Empty: none.
    std::string asked;
};

// The meaning of a name, a member or a call.
enum class MeaningKind : std::uint8_t {
    none,
    local,         // the local variable or function declared at `place`
    global,        // the variable `symbol` of a module
    field,         // of the object of a member, or of `this` for a bare name
    function,      // a named function, or a static method
    method,        // of the object of a member
    variant,       // of an enum; in a call: constructed from the arguments
    construction,  // of `type`
    property,      // a field of the standard surface, written as a call
    value,         // a call of a function value
    spawn,
    send,                  // to an actor: the object of the member
    send_to,               // to the first argument
    item,                  // of a tuple; `place` is its number
    construction_of_base,  // `super(..)`: of `type`
    passes_on,  // of `?`: an empty Option or failed Result is returned; without this, it is thrown
};

struct Meaning {
    MeaningKind kind = MeaningKind::none;
    union {
        const void* nothing = nullptr;
        const Symbol* symbol;
        const FieldInfo* field;
        const FunctionInfo* function;
        const VariantInfo* variant;
        const TypeInfo* type;
        std::uint32_t place;  // offset of its name, unique among the locals of a file
    };

    static Meaning of(MeaningKind kind) { return {kind, {}}; }
    static Meaning of(const Symbol* what) {
        Meaning made = of(MeaningKind::global);
        made.symbol = what;
        return made;
    }
    static Meaning of(MeaningKind kind, const FieldInfo* what) {
        Meaning made = of(kind);
        made.field = what;
        return made;
    }
    static Meaning of(MeaningKind kind, const FunctionInfo* what) {
        Meaning made = of(kind);
        made.function = what;
        return made;
    }
    static Meaning of(const VariantInfo* what) {
        Meaning made = of(MeaningKind::variant);
        made.variant = what;
        return made;
    }
    static Meaning of(const TypeInfo* what) {
        Meaning made = of(MeaningKind::construction);
        made.type = what;
        return made;
    }
    static Meaning local_at(std::uint32_t place) {
        Meaning made = of(MeaningKind::local);
        made.place = place;
        return made;
    }
};

// The type and meaning of one expression.
struct Fact {
    const Type* type = nullptr;
    Meaning meaning;
};

// The properties of one local variable, parameter or function.
struct LocalFact {
    std::uint32_t place = 0;
    bool is_captured = false;  // used by an inner function
    bool is_changed = false;   // assigned after its declaration
    int function_depth = 0;    // nesting of functions around it, with its own
    const Type* type = nullptr;
    const FunctionInfo* function = nullptr;
};

enum class SymbolKind : std::uint8_t { variable, function, type, alias, variant, module };

// The meaning of a name at the top of a file, or of a local name.
struct Symbol {
    SymbolKind kind = SymbolKind::variable;
    Name name;
    const Module* module = nullptr;
    bool is_private = false;
    bool is_state = false;
    const Type* type = nullptr;  // of a variable
    const FunctionInfo* function = nullptr;
    TypeInfo* info = nullptr;
    const VariantInfo* variant = nullptr;
    const AliasDecl* alias = nullptr;
    const Module* target = nullptr;  // of a module
};

// One file: its text, its tree, and the names it declares and imports.
struct Module {
    std::string path;
    std::unique_ptr<Source> source;
    Tree tree;
    std::unordered_map<std::string_view, Symbol> declared;
    std::unordered_map<std::string_view, const Symbol*> imported;
    std::deque<Symbol> aliases;
    bool is_standard = false;
    // An input of a prompt: statements of any kind stand at its top, and may await.
    bool is_interactive = false;

    // For later passes: facts of each expression by its number, and of each local in the order of
    // the check.
    std::vector<Fact> facts;
    std::vector<LocalFact> locals;
};

// The results of one check, which diagnostics point into.
struct Program {
    Types types;
    Diagnostics diagnostics;
    Module standard;
    // All files by path, with imported ones.
    std::map<std::string, std::unique_ptr<Module>> modules;
    // Imported files precede their importers; the checked file is last.
    std::vector<Module*> order;
    std::deque<TypeInfo> infos;
    std::deque<FunctionInfo> functions;
    std::unique_ptr<EditorFacts> editor;  // of a check for an editor
};

// The modules of the standard surface that a program can import: "system:fs".
[[nodiscard]] std::vector<std::string_view> system_module_names();

// Checks a file and its imports.
[[nodiscard]] std::unique_ptr<Program> check(const std::string& path, std::string text,
                                             SourceFiles& files, const CheckOptions& options = {});

}  // namespace gyre::vela
