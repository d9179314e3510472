// SPDX-License-Identifier: Apache-2.0
// Strings, and numbers.
#include <algorithm>
#include <charconv>

#include "lang/vela/run/internal/json_text.hpp"
#include "lang/vela/run/internal/letter_case.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Word split(Vm& vm, Args args) {
    std::string_view text = text_of(args[0]);
    const std::string& separator = text_of(args[1]);
    std::vector<Word> parts;
    while (!text.empty() && separator.empty()) {
        const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
        parts.push_back(vm.heap.text(std::string(text.substr(0, length))));
        text.remove_prefix(length);
    }
    while (!separator.empty()) {
        const std::size_t at = text.find(separator);
        parts.push_back(vm.heap.text(std::string(text.substr(0, at))));
        if (at == std::string_view::npos) break;
        text.remove_prefix(at + separator.size());
    }
    return vm.heap.make<List>(std::move(parts));
}

Word trim(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return vm.heap.text("");
    return vm.heap.text(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

Word replace(Vm& vm, Args args) {
    std::string_view text = text_of(args[0]);
    const std::string& part = text_of(args[1]);
    std::string result;
    while (!part.empty()) {
        const std::size_t at = text.find(part);
        if (at == std::string_view::npos) break;
        result.append(text.substr(0, at)).append(text_of(args[2]));
        vm.check_text_size(result.size());
        text.remove_prefix(at + part.size());
    }
    result.append(text);
    return vm.heap.text(std::move(result));
}

Word to_number(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec == std::errc() && result.ptr == end) return vm.ok(vm.heap.number(number));
    return vm.err(vm.error("ParseError", concat("\"", text, "\" is not a Number")));
}

Word to_float(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    double real = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, real);
    if (result.ec == std::errc() && result.ptr == end) return vm.ok(vm.heap.real(real));
    return vm.err(vm.error("ParseError", concat("\"", text, "\" is not a Float")));
}

// The byte at which a code point begins; the size if there are fewer.
std::size_t byte_of(std::string_view text, std::size_t code_point) {
    std::size_t at = 0;
    for (; code_point > 0 && at < text.size(); --code_point) {
        at += std::max<std::size_t>(1, utf8_length(text.substr(at)));
    }
    return at;
}

// Indices in range, the second not before the first.
struct Part {
    std::size_t from;
    std::size_t to;
};
Part part_of(std::int64_t from, std::int64_t to, std::size_t size) {
    const auto limit = static_cast<std::int64_t>(size);
    const std::int64_t first = std::clamp<std::int64_t>(from, 0, limit);
    const std::int64_t last = std::clamp<std::int64_t>(to, first, limit);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

Word slice_text(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    const Part part = part_of(number_of(args[1]), number_of(args[2]), code_point_count(text));
    const std::size_t begin = byte_of(text, part.from);
    return vm.heap.text(text.substr(begin, byte_of(text, part.to) - begin));
}

Word index_of(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    const std::size_t at = text.find(text_of(args[1]));
    if (at == std::string::npos) return vm.none();
    return vm.some(vm.heap.number(code_point_count(std::string_view(text).substr(0, at))));
}

Word lines(Vm& vm, Args args) {
    std::string_view text = text_of(args[0]);
    std::vector<Word> made;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        made.push_back(vm.heap.text(std::string(line)));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return vm.heap.make<List>(std::move(made));
}

std::string repeated(Vm& vm, const std::string& text, std::int64_t count) {
    std::string made;
    if (count <= 0 || text.empty()) return made;
    if (static_cast<std::uint64_t>(count) > text_bytes_max / text.size()) {
        vm.check_text_size(text_bytes_max + 1);
    }
    made.reserve(text.size() * static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) made += text;
    return made;
}

Word repeat(Vm& vm, Args args) {
    return vm.heap.text(repeated(vm, text_of(args[0]), number_of(args[1])));
}

std::string padding(Vm& vm, Args args) {
    const auto have = static_cast<std::int64_t>(code_point_count(text_of(args[0])));
    const std::int64_t missing = number_of(args[1]) - have;
    const std::string& unit = text_of(args[2]);
    if (missing <= 0 || unit.empty()) return {};
    const auto each = static_cast<std::int64_t>(code_point_count(unit));
    const std::string filled = repeated(vm, unit, (missing + each - 1) / each);
    return filled.substr(0, byte_of(filled, static_cast<std::size_t>(missing)));
}

Word code_at(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    const std::int64_t index = number_of(args[1]);
    const std::size_t at = index < 0 ? text.size() : byte_of(text, static_cast<std::size_t>(index));
    if (at >= text.size()) {
        vm.fail("Error", concat("Index ", std::to_string(index), " is out of range"));
    }
    const std::size_t length =
        std::max<std::size_t>(1, utf8_length(std::string_view(text).substr(at)));
    return Word::small(code_point_of(std::string_view(text).substr(at, length)));
}

Word from_code(Vm& vm, Args args) {
    const std::int64_t code = number_of(args[0]);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < 0 || code > 0x10FFFF || is_surrogate) vm.fail("Error", "not a code point");
    std::string text;
    append_utf8(text, static_cast<std::uint32_t>(code));
    return vm.heap.text(std::move(text));
}

const std::string& bytes_of(Word word) {
    return as<Text>(word, Kind::bytes).text;
}
Word new_bytes(Vm& vm, std::string bytes) {
    return vm.heap.make<Text>(std::move(bytes), Kind::bytes);
}
Word byte_at(Vm& vm, Args args) {
    const std::string& bytes = bytes_of(args[0]);
    const std::int64_t index = number_of(args[1]);
    if (index < 0 || static_cast<std::size_t>(index) >= bytes.size()) return vm.none();
    return vm.some(Word::small(static_cast<unsigned char>(bytes[static_cast<std::size_t>(index)])));
}
Word to_text(Vm& vm, Args args) {
    std::string_view rest = bytes_of(args[0]);
    while (!rest.empty()) {
        const std::size_t length = utf8_length(rest);
        if (length == 0) return vm.err(vm.error("Error", "not UTF-8"));
        rest.remove_prefix(length);
    }
    return vm.ok(vm.heap.text(bytes_of(args[0])));
}

}  // namespace

void add_text_natives(NativeTable& table) {
    table["String.contains"] = [](Vm&, Args args) {
        return Word::boolean(text_of(args[0]).find(text_of(args[1])) != std::string::npos);
    };
    table["String.startsWith"] = [](Vm&, Args args) {
        return Word::boolean(text_of(args[0]).starts_with(text_of(args[1])));
    };
    table["String.endsWith"] = [](Vm&, Args args) {
        return Word::boolean(text_of(args[0]).ends_with(text_of(args[1])));
    };
    table["String.split"] = split;
    table["String.trim"] = trim;
    table["String.replace"] = replace;
    table["String.toUpperCase"] = [](Vm& vm, Args args) {
        return vm.heap.text(upper_case(text_of(args[0])));
    };
    table["String.toLowerCase"] = [](Vm& vm, Args args) {
        return vm.heap.text(lower_case(text_of(args[0])));
    };
    table["String.toNumber"] = to_number;
    table["String.toFloat"] = to_float;
    table["String.slice"] = slice_text;
    table["String.chars"] = [](Vm& vm, Args args) {
        const Word both[] = {args[0], vm.heap.text("")};
        return split(vm, both);
    };
    table["String.indexOf"] = index_of;
    table["String.lines"] = lines;
    table["String.repeat"] = repeat;
    table["String.padStart"] = [](Vm& vm, Args args) {
        return vm.heap.text(padding(vm, args) + text_of(args[0]));
    };
    table["String.padEnd"] = [](Vm& vm, Args args) {
        return vm.heap.text(text_of(args[0]) + padding(vm, args));
    };
    table["String.codeAt"] = code_at;
    table["String.fromCode"] = from_code;
    table["String.toBytes"] = [](Vm& vm, Args args) { return new_bytes(vm, text_of(args[0])); };
    table["Bytes.get"] = byte_at;
    table["Bytes.slice"] = [](Vm& vm, Args args) {
        const std::string& bytes = bytes_of(args[0]);
        const Part part = part_of(number_of(args[1]), number_of(args[2]), bytes.size());
        return new_bytes(vm, bytes.substr(part.from, part.to - part.from));
    };
    table["Bytes.concat"] = [](Vm& vm, Args args) {
        return new_bytes(vm, bytes_of(args[0]) + bytes_of(args[1]));
    };
    table["Bytes.toText"] = to_text;
    table["Bytes.toBytes"] = [](Vm&, Args args) { return args[0]; };
}

}  // namespace gyre::vela::vm
