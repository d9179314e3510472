// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/byte_natives.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "lang/script/internal/byte_text.hpp"

namespace gyre::script {
namespace {

ByteEncoding encoding_of(NativeCall& call, std::size_t index) {
    const double number = call.number(index);
    const bool is_known = number >= 0 && number <= static_cast<double>(ByteEncoding::base64url);
    return is_known ? static_cast<ByteEncoding>(number) : ByteEncoding::utf8;
}

// An engine may give a half of a surrogate pair as three bytes, ED A0..BF xx: U+FFFD has three too.
std::string whole_text(NativeCall& call, std::size_t index) {
    std::string text = call.text(index);
    for (std::size_t at = text.find('\xed'); at != std::string::npos;
         at = text.find('\xed', at + 1)) {
        if (at + 2 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0) {
            text.replace(at, 3, "\xef\xbf\xbd");
        }
    }
    return text;
}

}  // namespace

void bytes_text(void* /*host*/, NativeCall& call) {
    call.give_text(text_of_bytes(call.bytes(0), encoding_of(call, 1)));
}

void bytes_write(void* /*host*/, NativeCall& call) {
    const std::string text = whole_text(call, 2);
    call.give_number(static_cast<double>(write_text(text, encoding_of(call, 1), call.bytes(0))));
}

void bytes_size(void* /*host*/, NativeCall& call) {
    call.give_number(static_cast<double>(call.text(0).size()));
}

void bytes_find(void* /*host*/, NativeCall& call) {
    const double from = call.number(2);
    const std::size_t unit = call.number(4) == 2 ? 2 : 1;
    call.give_number(static_cast<double>(find_bytes(call.bytes(0), call.bytes(1),
                                                    from > 0 ? static_cast<std::size_t>(from) : 0,
                                                    call.truth(3), unit)));
}

void bytes_compare(void* /*host*/, NativeCall& call) {
    const Bytes a = call.bytes(0);
    const Bytes b = call.bytes(1);
    const std::size_t size = std::min(a.size(), b.size());
    const int order = size == 0 ? 0 : std::memcmp(a.data(), b.data(), size);
    const int by_size = a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
    call.give_number(order < 0 ? -1 : order > 0 ? 1 : by_size);
}

void bytes_check(void* /*host*/, NativeCall& call) {
    const Bytes bytes = call.bytes(0);
    call.give_truth(call.text(1) == "utf8" ? are_utf8(bytes) : are_ascii(bytes));
}

}  // namespace gyre::script
