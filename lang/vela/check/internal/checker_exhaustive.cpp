// SPDX-License-Identifier: Apache-2.0
// Exhaustiveness of a match. Patterns form a matrix with a row for each arm; a column is split by
// the cases of its type. If no row is left, the cases on the path are a missing value.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

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

    // Patterns that may be looked at, all steps together.
    std::size_t cells_left = 200'000;
    // Whether that was not enough: the answers are not complete.
    bool is_over = false;

    // The first few missing values.
    std::vector<Witness> missing(const std::vector<Row>& rows,
                                 const std::vector<const Type*>& columns) {
        if (!has_room(rows, columns)) return {};
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

    // Whether a value exists that `row` matches and none of `rows`.
    bool is_useful(const std::vector<Row>& rows, const Row& row,
                   const std::vector<const Type*>& columns) {
        // Beyond the limit the arm counts as useful.
        if (!has_room(rows, columns)) return true;
        if (columns.empty()) return rows.empty();
        const Type* type = known(columns[0]);
        if (type->sort == TypeSort::error || type->sort == TypeSort::never) return true;
        const Pattern* first = row[0];
        if (first != nullptr && first->kind == PatternKind::alternatives) {
            std::vector<Row> each;
            expand(row, each);
            return std::any_of(each.begin(), each.end(),
                               [&](const Row& one) { return is_useful(rows, one, columns); });
        }
        if (!takes_all(first)) return is_useful_case(rows, row, columns, *first);
        // The wildcard is useful if one of the cases that the rows tell apart is.
        const bool is_enum =
            type->sort == TypeSort::nominal && type->info->kind == DeclKind::enumeration;
        std::vector<const Pattern*> cases;
        for (const Row& other : rows) {
            if (!takes_all(other[0])) cases.push_back(other[0]);
        }
        const std::size_t case_count = is_enum ? type->info->variants.size()
                                       : Types::is(type, types_.builtins.boolean) ? 2
                                                                                  : 1;
        const bool is_endless = !is_enum && case_count == 1 && type->sort != TypeSort::tuple;
        std::set<std::string_view> told_apart;
        for (const Pattern* one : cases) told_apart.insert(case_name(*one));
        if (is_endless || told_apart.size() < case_count) {
            std::vector<Row> rest;
            for (const Row& other : rows) {
                if (takes_all(other[0])) rest.push_back(Row(other.begin() + 1, other.end()));
            }
            return is_useful(rest, Row(row.begin() + 1, row.end()), without_first(columns));
        }
        return std::any_of(cases.begin(), cases.end(), [&](const Pattern* one) {
            return is_useful_case(rows, row, columns, *one);
        });
    }

private:
    bool has_room(const std::vector<Row>& rows, const std::vector<const Type*>& columns) {
        const std::size_t cells = 1 + (rows.size() + 1) * (columns.size() + 1);
        is_over = is_over || cells > cells_left;
        cells_left -= std::min(cells, cells_left);
        return !is_over;
    }

    std::string_view case_name(const Pattern& pattern) const {
        if (pattern.kind == PatternKind::variant) return pattern.path.back().text;
        return pattern.kind == PatternKind::literal ? source_.text(pattern.value->span) : "";
    }

    bool is_useful_case(const std::vector<Row>& rows, const Row& row,
                        const std::vector<const Type*>& columns, const Pattern& one) {
        const Type* type = known(columns[0]);
        std::vector<const Type*> inner;
        if (one.kind == PatternKind::tuple) inner.assign(type->args.begin(), type->args.end());
        if (one.kind == PatternKind::variant) {
            for (const VariantInfo& variant : type->info->variants) {
                if (variant.name.text != one.path.back().text) continue;
                for (const ParamInfo& arg : variant.args) {
                    inner.push_back(types_.seen_from(arg.type, type));
                }
            }
        }
        const std::size_t count = inner.size();
        inner.insert(inner.end(), columns.begin() + 1, columns.end());
        const auto is_same = [&](const Pattern& other) {
            return other.kind == one.kind && case_name(other) == case_name(one);
        };
        const std::vector<Row> own = specialised({row}, count, is_same);
        const std::vector<Row> others = specialised(rows, count, is_same);
        return std::any_of(own.begin(), own.end(),
                           [&](const Row& each) { return is_useful(others, each, inner); });
    }

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
        // The rows of each variant that is named, those that take every variant among them.
        std::unordered_map<std::string_view, std::vector<Row>> named;
        std::vector<Row> others;
        for (const Row& row : rows) {
            if (row[0] != nullptr && row[0]->kind == PatternKind::variant) {
                named.try_emplace(row[0]->path.back().text);
            }
        }
        for (const Row& row : rows) {
            if (takes_all(row[0])) {
                if (!has_room(rows, columns)) return {};
                for (auto& [name, own] : named) own.push_back(row);
                others.push_back(Row(row.begin() + 1, row.end()));
            } else if (row[0]->kind == PatternKind::variant) {
                named.at(row[0]->path.back().text).push_back(row);
            }
        }
        // The same for every variant that is not named.
        std::optional<std::vector<Witness>> of_others;
        std::vector<Witness> result;
        for (const VariantInfo& variant : type->info->variants) {
            const std::size_t count = variant.args.size();
            const std::string name(variant.name.text);
            const auto own = named.find(variant.name.text);
            std::vector<Witness> found;
            if (own == named.end()) {
                if (!of_others) of_others = missing(others, without_first(columns));
                if (!of_others->empty()) {
                    found = *of_others;
                    for (Witness& one : found) one.insert(one.begin(), count, "_");
                }
            } else {
                std::vector<const Type*> inner;
                for (const ParamInfo& arg : variant.args) {
                    inner.push_back(types_.seen_from(arg.type, type));
                }
                inner.insert(inner.end(), columns.begin() + 1, columns.end());
                const auto is_any = [](const Pattern&) { return true; };
                found = missing(expanded(specialised(own->second, count, is_any)), inner);
            }
            found = with_first(
                std::move(found),
                [&](Witness& witness) { return count == 0 ? name : name + listed(witness, count); },
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
};

// The patterns of a pattern, itself included.
std::size_t size_of(const Pattern& pattern) {
    std::size_t count = 1;
    for (const Pattern* part : pattern.parts) count += size_of(*part);
    return count;
}

}  // namespace

void Checker::warn_useless_arms(const MatchExpr& node, const Type* subject) {
    constexpr std::size_t arm_count_max = 200;
    if (node.arms.size() > arm_count_max || is_sort(subject, TypeSort::variable)) return;
    std::vector<Row> rows;
    for (const MatchArm& arm : node.arms) {
        constexpr std::size_t cells_max = 20'000;
        Matrix matrix(types_, *module_->source);
        matrix.cells_left = cells_max;
        if (!matrix.is_useful(rows, {arm.pattern}, {subject})) {
            warn_unreachable(arm.pattern->span,
                             "this arm can never run: the arms above it take every such value");
        }
        if (arm.guard == nullptr) Matrix::expand({arm.pattern}, rows);
    }
}

void Checker::check_exhaustive(const MatchExpr& node, const Type* subject) {
    // Steps for each pattern that is written, so that a source of twice the size takes twice as long.
    constexpr std::size_t cells_of_pattern = 500;
    Matrix matrix(types_, *module_->source);
    std::vector<Row> rows;
    for (const MatchArm& arm : node.arms) {
        // An arm with a guard may not match, so it does not count.
        if (arm.guard != nullptr) continue;
        if (takes_all(arm.pattern)) return;
        Matrix::expand({arm.pattern}, rows);
        matrix.cells_left += cells_of_pattern * size_of(*arm.pattern);
    }
    if (node.arms.empty() && is_sort(subject, TypeSort::variable)) return;
    const auto found = matrix.missing(rows, {subject});
    if (found.empty() && !matrix.is_over) return;
    if (found.empty()) {
        error("E0305", node.keyword,
              concat("`match` has too many combinations: the limit is ",
                     std::to_string(cells_of_pattern), " steps for each pattern"))
            .note("an arm `_ => ..` takes the rest");
        return;
    }
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
