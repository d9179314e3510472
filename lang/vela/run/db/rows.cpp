// SPDX-License-Identifier: Apache-2.0
// Parameters, rows and errors of system:db. A Row is a Map from the names of its columns to DbValues.
#include <cstring>

#include "lang/vela/run/db/internal/database_things.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

const char* name_of(db::DbError::Kind kind) {
    using enum db::DbError::Kind;
    switch (kind) {
        case unreachable:
            return "unreachable";
        case refused:
            return "refused";
        case busy:
            return "busy";
        case lost:
            return "lost";
        case read_only:
            return "read_only";
        case constraint:
            return "constraint";
        case conflict:
            return "conflict";
        case cancelled:
            return "cancelled";
        case timed_out:
            return "timed_out";
        case statement:
            return "statement";
        case mismatch:
            return "mismatch";
        case protocol:
            return "protocol";
        case limit:
            return "limit";
        case failed:
            break;
    }
    return "failed";
}

[[noreturn]] void refuse(Vm& vm, std::string message) {
    throw Thrown{db_error(vm, db::DbError(db::DbError::Kind::mismatch, std::move(message)))};
}

std::string_view variant_of(Word value) {
    return as<Variant>(value, Kind::variant).info->name.text;
}
Word payload_of(Word value) {
    return static_cast<Variant*>(value.thing())->payload()[0];
}

db::Value parameter_of(Word value) {
    const std::string_view name = variant_of(value);
    if (name == "Int") return number_of(payload_of(value));
    if (name == "Real") return real_of(payload_of(value));
    if (name == "Text") return text_of(payload_of(value));
    if (name == "Blob") {
        const std::string& bytes = as<Text>(payload_of(value), Kind::bytes).text;
        db::Blob blob(bytes.size());
        if (!bytes.empty()) std::memcpy(blob.data(), bytes.data(), bytes.size());
        return blob;
    }
    return {};
}

// The variants of DbValue.
struct Variants {
    explicit Variants(Vm& vm) {
        const TypeInfo* type = vm.standard_type("DbValue");
        null = vm.variant_info(type, "Null");
        integer = vm.variant_info(type, "Int");
        real = vm.variant_info(type, "Real");
        text = vm.variant_info(type, "Text");
        blob = vm.variant_info(type, "Blob");
    }
    const VariantInfo* null;
    const VariantInfo* integer;
    const VariantInfo* real;
    const VariantInfo* text;
    const VariantInfo* blob;
};

Word value_of(Vm& vm, const Variants& variants, const db::Cell& cell) {
    const auto made = [&](const VariantInfo* variant, Word value) {
        return vm.variant(variant, {&value, 1});
    };
    if (cell.is_null()) return vm.variant(variants.null);
    using enum db::Type;
    switch (cell.type()) {
        case boolean: {
            bool truth = false;
            static_cast<void>(db::read_cell(cell, truth));
            return made(variants.integer, Word::small(truth ? 1 : 0));
        }
        case int2:
        case int4:
        case int8:
        case any_integer: {
            std::int64_t number = 0;
            static_cast<void>(db::read_integer(cell, number));
            return made(variants.integer, vm.heap.number(number));
        }
        case float4:
        case float8: {
            double real = 0;
            static_cast<void>(db::read_cell(cell, real));
            return made(variants.real, vm.heap.real(real));
        }
        case bytes: {
            const auto found = cell.text();
            return made(variants.blob, vm.heap.make<Text>(std::string(found), Kind::bytes));
        }
        default:
            return made(variants.text, vm.heap.text(cell.to_text()));
    }
}

// The value of a column, which the row has.
Word column(Vm& vm, Args args) {
    auto& row = as<Table>(args[0], Kind::map);
    const Table::Entry* entry = row.find(args[1]);
    if (entry == nullptr) refuse(vm, concat("no column \"", text_of(args[1]), "\" in the row"));
    return entry->value;
}
Word column_as(Vm& vm, Args args, std::string_view variant) {
    const Word value = column(vm, args);
    if (variant_of(value) == variant) return payload_of(value);
    refuse(vm,
           concat("column \"", text_of(args[1]), "\" is ", variant_of(value), ", not ", variant));
}

}  // namespace

Word db_error(Vm& vm, const db::DbError& error) {
    const Word made = vm.error("DbError", error.what());
    auto& object = as<Instance>(made, Kind::instance);
    const std::string kind = name_of(error.kind());
    vm.set_field(object, "code", vm.heap.text(error.sqlstate().empty() ? kind : error.sqlstate()));
    vm.set_field(object, "kind", vm.heap.text(kind));
    return made;
}

db::Values values_of(Vm& vm, Word params) {
    db::Values values;
    if (params.is_missing()) return values;
    for (const Word param : vm.items_of(params)) values.push_back(parameter_of(param));
    return values;
}

// Nothing is collected meanwhile: the names are shared by all rows.
Word rows_of(Vm& vm, const db::Rows& rows) {
    const Variants variants(vm);
    std::vector<Word> names;
    for (std::size_t i = 0; i < rows.column_count(); ++i) {
        names.push_back(vm.heap.text(rows.column(i).name));
    }
    auto* list = vm.heap.make<List>();
    for (const db::Row row : rows) {
        auto* made = vm.heap.make<Table>(Kind::map);
        for (std::size_t i = 0; i < names.size(); ++i) {
            made->set(names[i], value_of(vm, variants, row.cell(i)));
        }
        vm.heap.count_growth(made->outside_bytes());
        list->items.push_back(made);
    }
    vm.heap.count_growth(list->outside_bytes());
    return list;
}

void add_row_natives(NativeTable& table) {
    table["Row.get"] = [](Vm& vm, Args args) {
        const Table::Entry* entry = as<Table>(args[0], Kind::map).find(args[1]);
        return entry == nullptr ? vm.none() : vm.some(entry->value);
    };
    table["Row.number"] = [](Vm& vm, Args args) { return column_as(vm, args, "Int"); };
    table["Row.real"] = [](Vm& vm, Args args) {
        const Word value = column(vm, args);
        if (variant_of(value) != "Int") return column_as(vm, args, "Real");
        return vm.heap.real(static_cast<double>(number_of(payload_of(value))));
    };
    table["Row.text"] = [](Vm& vm, Args args) { return column_as(vm, args, "Text"); };
    table["Row.blob"] = [](Vm& vm, Args args) { return column_as(vm, args, "Blob"); };
    table["Row.isNull"] = [](Vm& vm, Args args) {
        return Word::boolean(variant_of(column(vm, args)) == "Null");
    };
    table["Row.names"] = [](Vm& vm, Args args) {
        auto* names = vm.heap.make<List>();
        for (const Table::Entry& entry : as<Table>(args[0], Kind::map).entries) {
            if (!entry.key.is_missing()) names->items.push_back(entry.key);
        }
        return Word(names);
    };
}

}  // namespace gyre::vela::vm
