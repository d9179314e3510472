// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/interactive.hpp"

#include <utility>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/check/internal/loader.hpp"

namespace gyre::vela {
namespace {

constexpr std::string_view value_name = "it";
// Of inputs that were refused, the last ones are kept for their diagnostics.
constexpr std::size_t refused_count_max = 16;

// Whether a statement is an expression with a value: an `if` without `else` has none.
bool gives_value(const Stmt& node) {
    if (node.kind != StmtKind::expression) return false;
    const Expr& value = bare(*as<ValueStmt>(node).value);
    return value.kind != ExprKind::if_else || as<IfExpr>(value).else_branch != nullptr;
}

// An expression at the end becomes `let it = expression`.
void keep_value(Tree& tree) {
    if (tree.declarations.empty() || tree.declarations.back()->kind != DeclKind::statement) return;
    auto& last = static_cast<StatementDecl&>(*tree.declarations.back());
    if (!gives_value(*last.statement)) return;
    Expr* value = as<ValueStmt>(*last.statement).value;
    VariableStmt made;
    made.kind = StmtKind::variable;
    made.span = last.statement->span;
    // An empty place of its own: no name of the text begins there.
    made.name = {value_name, {value->span.end, value->span.end}};
    made.value = value;
    last.statement = tree.arena.make(made);
}

}  // namespace

// What one input adds to the program, so that it can be taken back.
class InteractiveCheck::Attempt {
public:
    explicit Attempt(Program& program)
        : program_(program),
          order_count_(program.order.size()),
          info_count_(program.infos.size()),
          function_count_(program.functions.size()) {
        for (const auto& [path, module] : program.modules) known_.push_back(path);
    }

    void take_back(std::vector<std::unique_ptr<Module>>& refused) {
        program_.order.resize(order_count_);
        while (program_.infos.size() > info_count_) program_.infos.pop_back();
        while (program_.functions.size() > function_count_) program_.functions.pop_back();
        for (auto entry = program_.modules.begin(); entry != program_.modules.end();) {
            if (std::binary_search(known_.begin(), known_.end(), entry->first)) {
                ++entry;
                continue;
            }
            refused.push_back(std::move(entry->second));
            entry = program_.modules.erase(entry);
        }
    }

private:
    Program& program_;
    const std::size_t order_count_;
    const std::size_t info_count_;
    const std::size_t function_count_;
    std::vector<std::string> known_;  // in order, as the map has them
};

InteractiveCheck::InteractiveCheck(SourceFiles& files, CheckOptions options)
    : files_(files), options_(std::move(options)), program_(check("", "", files, options_)) {}
InteractiveCheck::~InteractiveCheck() = default;

// The module of an input; its diagnostics are those of the program.
Module* InteractiveCheck::check_input(std::string text) {
    program_->diagnostics = {};
    value_ = nullptr;
    attempt_ = std::make_unique<Attempt>(*program_);
    internal::Declarations declarations(*program_);
    internal::Checker checker(*program_, declarations, options_);
    declarations.asked = options_.asked;
    internal::Loader loader(*program_, files_, options_.limits);
    const std::string name = concat("input ", std::to_string(++input_count_));
    Module& input = loader.load(name, name, std::move(text));
    input.is_interactive = true;
    if (program_->diagnostics.has_errors() && !options_.is_for_editor) return &input;
    keep_value(input.tree);
    for (Module* module : loader.order()) {
        if (module == &input) {
            for (const auto& [visible, symbol] : visible_) module->imported[visible] = symbol;
        }
        internal::bind_imports(*program_, *module, loader, declarations);
        internal::declare(declarations, *module);
        checker.check_module(*module);
        program_->order.push_back(module);
    }
    checker.check_isolation();
    return &input;
}

bool InteractiveCheck::add(std::string text) {
    Module* input = check_input(std::move(text));
    if (program_->diagnostics.has_errors()) {
        if (refused_.size() >= refused_count_max) refused_.clear();
        attempt_->take_back(refused_);
        return false;
    }
    for (const auto& [name, symbol] : input->imported) visible_[name] = symbol;
    for (const auto& [name, symbol] : input->declared) visible_[name] = &symbol;
    if (const auto found = input->declared.find(value_name); found != input->declared.end()) {
        const bool is_value = found->second.name.span.begin == found->second.name.span.end;
        if (is_value) value_ = &found->second;
    }
    return true;
}

void InteractiveCheck::look_at(
    std::string text, std::string asked,
    const std::function<void(const Program& program, const Module& module)>& look) {
    options_.is_for_editor = true;
    options_.asked = std::move(asked);
    program_->editor = std::make_unique<EditorFacts>();
    const Module* input = check_input(std::move(text));
    look(*program_, *input);
    program_->diagnostics = {};
    program_->editor = nullptr;
    options_.is_for_editor = false;
    options_.asked.clear();
    std::vector<std::unique_ptr<Module>> forgotten;
    attempt_->take_back(forgotten);
}

}  // namespace gyre::vela
