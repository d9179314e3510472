// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/sections.hpp"

#include <cstdint>

#include "gyre/base/assert.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {
namespace {

constexpr std::size_t header_size = 8;  // magic and version

class Cursor {
public:
    explicit Cursor(std::string_view bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] bool is_at_end() const noexcept { return at_ == bytes_.size(); }
    [[nodiscard]] unsigned byte() {
        if (is_at_end()) throw CompileError("the module ends inside a section");
        return static_cast<unsigned char>(bytes_[at_++]);
    }
    // LEB128, at most 32 bits.
    [[nodiscard]] std::uint32_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 35; shift += 7) {
            const unsigned digit = byte();
            value |= std::uint64_t{digit & 0x7Fu} << shift;
            if ((digit & 0x80u) == 0) {
                if (value > UINT32_MAX) break;
                return static_cast<std::uint32_t>(value);
            }
        }
        throw CompileError("a length of the module has more than 32 bits");
    }
    [[nodiscard]] std::string_view take(std::size_t size) {
        if (size > bytes_.size() - at_) throw CompileError("a section is longer than the module");
        const std::string_view taken = bytes_.substr(at_, size);
        at_ += size;
        return taken;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return bytes_.substr(at_); }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> find_section(std::string_view module, std::string_view name) {
    using namespace std::string_view_literals;
    GYRE_ASSERT(!name.empty(), "a custom section is found by its name");
    if (!module.starts_with("\0asm"sv) || module.size() < header_size) {
        throw CompileError("no WebAssembly module: it does not begin with \\0asm");
    }
    Cursor cursor(module.substr(header_size));
    while (!cursor.is_at_end()) {
        const unsigned id = cursor.byte();
        const std::string_view content = cursor.take(cursor.number());
        if (id != 0) continue;
        Cursor custom(content);
        if (custom.take(custom.number()) == name) return custom.rest();
    }
    return std::nullopt;
}

}  // namespace gyre::wasm
