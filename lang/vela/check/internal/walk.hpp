// SPDX-License-Identifier: Apache-2.0
// Walk: visits the expressions and statements of a body in the order of the text, with those of
// lambdas and inner functions. For rules that need the facts of a whole body after its check. Pure;
// the visitor lives for the call.
#pragma once

#include <functional>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela::internal {

struct Walk {
    std::function<void(const Expr&)> on_expr;
    std::function<void(const Stmt&)> on_stmt = [](const Stmt&) {};

    // Each may be null.
    void statement(const Stmt* node) const;
    void expr(const Expr* node) const;
    void function(const FunctionDecl& node) const;

private:
    void visit(const Expr& node) const;
    void visit(const Stmt& node) const;
};

}  // namespace gyre::vela::internal
