// SPDX-License-Identifier: Apache-2.0
// Strings, and numbers.
#include <algorithm>
#include <charconv>

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
        text.remove_prefix(at + part.size());
    }
    result.append(text);
    return vm.heap.text(std::move(result));
}

Word in_case(Vm& vm, Word word, char first, char last, int shift) {
    std::string text = text_of(word);
    for (char& c : text) {
        if (c >= first && c <= last) c = static_cast<char>(c + shift);
    }
    return vm.heap.text(std::move(text));
}

Word to_number(Vm& vm, Args args) {
    const std::string& text = text_of(args[0]);
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec == std::errc() && result.ptr == end) return vm.ok(vm.heap.number(number));
    return vm.err(vm.error("ParseError", concat("\"", text, "\" is not a Number")));
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
        return in_case(vm, args[0], 'a', 'z', 'A' - 'a');
    };
    table["String.toLowerCase"] = [](Vm& vm, Args args) {
        return in_case(vm, args[0], 'A', 'Z', 'a' - 'A');
    };
    table["String.toNumber"] = to_number;
}

void add_number_natives(NativeTable& /*table*/) {}

}  // namespace gyre::vela::vm
