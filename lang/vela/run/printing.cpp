// SPDX-License-Identifier: Apache-2.0
// How values are printed.
#include <array>
#include <charconv>
#include <cmath>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// A value that contains itself ends here.
constexpr int shown_depth_max = 50;

// The shortest text that reads back as the same number, always with a point or an exponent.
std::string real_text(double real) {
    // The sign of a NaN depends on the processor.
    if (std::isnan(real)) return "nan";
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), real);
    std::string text(buffer.data(), end.ptr);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

// Appends to one text. A value may hold another one many times over, at many levels: what is longer
// than a String can be is cut.
class Printer {
public:
    void add(Word word, int depth);
    std::string text;

private:
    [[nodiscard]] bool is_full() const noexcept { return text.size() > text_bytes_max; }
    void in_quotes(std::string_view of);
    void joined(std::span<const Word> words, int depth);
    void table(const Table& of, int depth);
    void slot(Instance& object, std::size_t i, int depth);
    void object(Instance& of, int depth);
    void thing(Thing& of, int depth);
    void simple(Thing& of);
};

void Printer::in_quotes(std::string_view of) {
    text += '"';
    for (const char c : of) {
        if (c == '"' || c == '\\') text += '\\';
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
    text += '"';
}

void Printer::joined(std::span<const Word> words, int depth) {
    bool is_first = true;
    for (const Word word : words) {
        if (is_full()) return;
        if (!is_first) text += ", ";
        is_first = false;
        add(word, depth);
    }
}

void Printer::table(const Table& of, int depth) {
    bool is_first = true;
    text += '{';
    for (const Table::Entry& entry : of.entries) {
        if (entry.key.is_missing()) continue;
        if (is_full()) return;
        if (!is_first) text += ", ";
        is_first = false;
        add(entry.key, depth);
        if (of.kind != Kind::map) continue;
        text += ": ";
        add(entry.value, depth);
    }
    text += '}';
}

void Printer::slot(Instance& object, std::size_t i, int depth) {
    const Slot of = object.slots()[i];
    switch (object.shape->reps[i]) {
        case Rep::number:
            text += std::to_string(of.number);
            return;
        case Rep::real:
            text += real_text(of.real);
            return;
        case Rep::boolean:
            text += of.bits != 0 ? "true" : "false";
            return;
        case Rep::word:
            break;
    }
    add(of.word(), depth);
}

void Printer::object(Instance& of, int depth) {
    const Shape& shape = *of.shape;
    text += shape.type->name.text;
    if (shape.is_error) {
        const bool has_message = is_kind(of.field(0), Kind::text) && !text_of(of.field(0)).empty();
        if (has_message) text.append(": ").append(text_of(of.field(0)));
        return;
    }
    text += " { ";
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        if (is_full()) return;
        if (i > 0) text += ", ";
        text.append(shape.fields[i]->name.text).append(": ");
        slot(of, i, depth);
    }
    text += shape.fields.empty() ? "}" : " }";
}

void Printer::thing(Thing& of, int depth) {
    switch (of.kind) {
        case Kind::text: {
            const std::string& content = static_cast<Text&>(of).text;
            if (depth > 0) return in_quotes(content);
            text += content;
            return;
        }
        case Kind::tuple:
            text += '(';
            joined(static_cast<Tuple&>(of).items, depth + 1);
            text += ')';
            return;
        case Kind::list:
        case Kind::queue:
            text += '[';
            joined(static_cast<List&>(of).all(), depth + 1);
            text += ']';
            return;
        case Kind::map:
        case Kind::set:
            return table(static_cast<Table&>(of), depth + 1);
        case Kind::variant: {
            auto& variant = static_cast<Variant&>(of);
            text += variant.info->name.text;
            if (variant.count == 0) return;
            text += '(';
            joined(variant.all(), depth + 1);
            text += ')';
            return;
        }
        case Kind::instance:
            return object(static_cast<Instance&>(of), depth + 1);
        default:
            simple(of);
    }
}

void Printer::simple(Thing& of) {
    switch (of.kind) {
        case Kind::boxed_number:
            text += std::to_string(static_cast<Boxed&>(of).value.number);
            return;
        case Kind::boxed_real:
            text += real_text(static_cast<Boxed&>(of).value.real);
            return;
        case Kind::bytes:
            text += "<Bytes>";
            return;
        case Kind::range: {
            const auto& range = static_cast<Range&>(of);
            text += concat(std::to_string(range.first), range.is_inclusive ? "..=" : "..",
                           std::to_string(range.last));
            return;
        }
        case Kind::future:
            text += "<Future>";
            return;
        case Kind::task_handle:
            text += "<TaskHandle>";
            return;
        case Kind::promise:
            text += "<Promise>";
            return;
        case Kind::stream:
            text += "<AsyncIterator>";
            return;
        case Kind::actor_ref:
            text += "<ActorRef>";
            return;
        case Kind::timer:
            text += "<Timer>";
            return;
        case Kind::host: {
            const TypeInfo* type = static_cast<HostThing&>(of).type;
            text += concat("<", type == nullptr ? "host" : type->name.text, ">");
            return;
        }
        default:
            text += "<fn>";
    }
}

void Printer::add(Word word, int depth) {
    if (word.is_small()) {
        text += std::to_string(word.small_number());
    } else if (word.is_boolean()) {
        text += word.truth() ? "true" : "false";
    } else if (word.is_nothing() || word.is_missing()) {
        text += "()";
    } else if (depth > shown_depth_max) {
        text += "...";
    } else {
        thing(*word.thing(), depth);
    }
}

std::string shown(Word word, int depth) {
    Printer printer;
    printer.add(word, depth);
    if (printer.text.size() > text_bytes_max) {
        printer.text.resize(text_bytes_max);
        printer.text += "...";
    }
    return std::move(printer.text);
}

}  // namespace

std::string printed(Word word) {
    return shown(word, 0);
}

std::string written(Word word) {
    return shown(word, 1);
}

}  // namespace gyre::vela::vm
