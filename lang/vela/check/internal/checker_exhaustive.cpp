// SPDX-License-Identifier: Apache-2.0
// Exhaustiveness of a match. Patterns form a matrix with a row for each arm; a column is split by
// the cases of its type. If no row is left, the cases on the path are a missing value.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Null: matches everything.
using Row = std::vector<const Pattern*>;
using Witness = std::vector<std::string>;

bool takes_all(const Pattern* pattern) {
    return pattern == nullptr || pattern->kind == PatternKind::wildcard ||
           pattern->kind == PatternKind::bind;
}

class Matrix {
public:
    Matrix(Types& types, const Source& source) : types_(types), source_(source) {}

    // The first few missing values.
    std::vector<Witness> missing(const std::vector<Row>& rows,
                                 const std::vector<const Type*>& columns) {
        // Bounds the time: a match with too many combinations counts as exhaustive.
        if (++step_count_ > 20'000) return {};
        if (columns.empty())
            return rows.empty() ? std::vector<Witness>{{}} : std::vector<Witness>{};
        const Type* type = known(columns[0]);
        if (type->sort == TypeSort::error || type->sort == TypeSort::never) return {};
        const bool is_split = std::any_of(rows.begin(), rows.end(),
                                          [](const Row& row) { return !takes_all(row[0]); });
        const bool is_enum =
            type->sort == TypeSort::nominal && type->info->kind == DeclKind::enumeration;
        if (is_split && is_enum) return split_enum(rows, columns, type);
        if (is_split && type->sort == TypeSort::tuple) return split_tuple(rows, columns, type);
        if (is_split && Types::is(type, types_.builtins.boolean)) return split_bool(rows, columns);
        // Numbers and strings have infinitely many values: only wildcard rows count.
        std::vector<Row> rest;
        for (const Row& row : rows) {
            if (takes_all(row[0])) rest.push_back(Row(row.begin() + 1, row.end()));
        }
        return with_first(
            missing(rest, without_first(columns)), [](Witness&) { return std::string("_"); }, 0);
    }

private:
    static std::vector<const Type*> without_first(const std::vector<const Type*>& columns) {
        return {columns.begin() + 1, columns.end()};
    }

    // Replaces the first `count` values by the value that `name` constructs from them.
    template <class Name>
    static std::vector<Witness> with_first(std::vector<Witness> found, Name name,
                                           std::size_t count) {
        for (Witness& witness : found) {
            std::string first = name(witness);
            witness.erase(witness.begin(), witness.begin() + static_cast<std::ptrdiff_t>(count));
            witness.insert(witness.begin(), std::move(first));
        }
        return found;
    }

    static std::string listed(const Witness& witness, std::size_t count) {
        std::string text = "(";
        for (std::size_t i = 0; i < count; ++i) text += concat(i > 0 ? ", " : "", witness[i]);
        return text + ")";
    }

    // The rows that match, with their first pattern replaced by its parts.
    template <class Matches>
    static std::vector<Row> specialised(const std::vector<Row>& rows, std::size_t part_count,
                                        Matches matches) {
        std::vector<Row> result;
        for (const Row& row : rows) {
            const Pattern* first = row[0];
            if (!takes_all(first) && !matches(*first)) continue;
            Row made(part_count, nullptr);
            if (!takes_all(first)) {
                for (std::size_t i = 0; i < std::min(part_count, first->parts.size()); ++i) {
                    made[i] = first->parts[i];
                }
            }
            made.insert(made.end(), row.begin() + 1, row.end());
            expand(made, result);
        }
        return result;
    }

public:
    // Splits a row of alternatives into one row for each.
    static void expand(const Row& row, std::vector<Row>& result) {
        if (!row.empty() && row[0] != nullptr && row[0]->kind == PatternKind::alternatives) {
            for (const Pattern* part : row[0]->parts) {
                Row made = row;
                made[0] = part;
                expand(made, result);
            }
            return;
        }
        result.push_back(row);
    }

private:
    static std::vector<Row> expanded(const std::vector<Row>& rows) {
        std::vector<Row> result;
        for (const Row& row : rows) expand(row, result);
        return result;
    }

    std::vector<Witness> split_enum(const std::vector<Row>& rows,
                                    const std::vector<const Type*>& columns, const Type* type) {
        std::vector<Witness> result;
        for (const VariantInfo& variant : type->info->variants) {
            const std::size_t count = variant.args.size();
            std::vector<const Type*> inner;
            for (const ParamInfo& arg : variant.args) {
                inner.push_back(types_.seen_from(arg.type, type));
            }
            inner.insert(inner.end(), columns.begin() + 1, columns.end());
            const auto is_variant = [&](const Pattern& pattern) {
                return pattern.kind == PatternKind::variant &&
                       pattern.path.back().text == variant.name.text;
            };
            auto found = missing(expanded(specialised(rows, count, is_variant)), inner);
            found = with_first(
                std::move(found),
                [&](Witness& witness) {
                    const std::string name(variant.name.text);
                    return count == 0 ? name : name + listed(witness, count);
                },
                count);
            std::move(found.begin(), found.end(), std::back_inserter(result));
            if (result.size() >= 8) break;
        }
        return result;
    }

    std::vector<Witness> split_tuple(const std::vector<Row>& rows,
                                     const std::vector<const Type*>& columns, const Type* type) {
        const std::size_t count = type->args.size();
        std::vector<const Type*> inner(type->args.begin(), type->args.end());
        inner.insert(inner.end(), columns.begin() + 1, columns.end());
        const auto is_tuple = [](const Pattern& pattern) {
            return pattern.kind == PatternKind::tuple;
        };
        return with_first(
            missing(expanded(specialised(rows, count, is_tuple)), inner),
            [&](Witness& witness) { return listed(witness, count); }, count);
    }

    std::vector<Witness> split_bool(const std::vector<Row>& rows,
                                    const std::vector<const Type*>& columns) {
        std::vector<Witness> result;
        for (const std::string_view value : {"true", "false"}) {
            const auto is_value = [&](const Pattern& pattern) {
                return pattern.kind == PatternKind::literal &&
                       source_.text(pattern.value->span) == value;
            };
            auto found = missing(expanded(specialised(rows, 0, is_value)), without_first(columns));
            found = with_first(std::move(found), [&](Witness&) { return std::string(value); }, 0);
            std::move(found.begin(), found.end(), std::back_inserter(result));
        }
        return result;
    }

    Types& types_;
    const Source& source_;
    std::size_t step_count_ = 0;
};

}  // namespace

void Checker::check_exhaustive(const MatchExpr& node, const Type* subject) {
    std::vector<Row> rows;
    for (const MatchArm& arm : node.arms) {
        // An arm with a guard may not match, so it does not count.
        if (arm.guard == nullptr) Matrix::expand({arm.pattern}, rows);
    }
    if (node.arms.empty() && is_sort(subject, TypeSort::variable)) return;
    const auto found = Matrix(types_, *module_->source).missing(rows, {subject});
    if (found.empty()) return;
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 4); ++i) {
        list += concat(i > 0 ? ", `" : "`", found[i][0], "`");
    }
    if (found.size() > 4) list += ", ...";
    Diagnostic& diagnostic =
        error("E0305", node.keyword, concat("`match` is not exhaustive, missing: ", list));
    if (found[0][0] == "_") diagnostic.note("an arm `_ => ..` takes the rest");
}

}  // namespace gyre::vela::internal
