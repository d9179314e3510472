// SPDX-License-Identifier: Apache-2.0
// What the functions of WASI share: its error numbers, and the arguments and the memory of one call. The scheduler's
// thread; a WasiCall lives as long as the call.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "gyre/base/failure.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::cli {

inline constexpr std::string_view wasi_module = "wasi_snapshot_preview1";

// The numbers of WASI, which are not those of the system.
inline constexpr int wasi_access = 2;
inline constexpr int wasi_again = 6;
inline constexpr int wasi_badf = 8;
inline constexpr int wasi_exist = 20;
inline constexpr int wasi_fault = 21;
inline constexpr int wasi_inval = 28;
inline constexpr int wasi_io = 29;
inline constexpr int wasi_isdir = 31;
inline constexpr int wasi_mfile = 33;
inline constexpr int wasi_noent = 44;
inline constexpr int wasi_nospc = 51;
inline constexpr int wasi_notdir = 54;
inline constexpr int wasi_notempty = 55;
inline constexpr int wasi_nxio = 60;
inline constexpr int wasi_pipe = 64;
inline constexpr int wasi_spipe = 70;
inline constexpr int wasi_notcapable = 76;

[[nodiscard]] int wasi_error(int system_error) noexcept;

// Whether an import has these parameters (i: i32, I: i64), and an error number or nothing as its result.
[[nodiscard]] bool is_wasi_function(const wasm::Item& item, std::string_view name,
                                    std::string_view params);

class WasiCall {
public:
    WasiCall(wasm::Instance& instance, std::span<const wasm::Cell> arguments)
        : arguments_(arguments), memory_(memory_of(instance)) {}

    [[nodiscard]] std::uint32_t word(std::size_t at) const {
        return static_cast<std::uint32_t>(arguments_[at].i32);
    }
    [[nodiscard]] std::int64_t wide(std::size_t at) const { return arguments_[at].i64; }
    // Null where it is not inside of the memory.
    [[nodiscard]] std::byte* bytes(std::uint64_t at, std::uint64_t size) const noexcept {
        if (at > memory_.size() || size > memory_.size() - at) return nullptr;
        return memory_.data() + at;
    }
    template <class Number>
    [[nodiscard]] bool write(std::uint64_t at, Number number) const noexcept {
        std::byte* to = bytes(at, sizeof number);
        if (to != nullptr) std::memcpy(to, &number, sizeof number);
        return to != nullptr;
    }
    [[nodiscard]] std::uint32_t read(std::uint64_t at) const {
        std::uint32_t number = 0;
        std::memcpy(&number, need(at, sizeof number), sizeof number);
        return number;
    }
    // The text whose place and size are two of the arguments.
    [[nodiscard]] std::string text(std::size_t at) const {
        return {reinterpret_cast<const char*>(need(word(at), word(at + 1))), word(at + 1)};
    }

private:
    [[nodiscard]] const std::byte* need(std::uint64_t at, std::uint64_t size) const {
        const std::byte* from = bytes(at, size);
        if (from == nullptr) throw Failure("a WASI call with an address outside of the memory");
        return from;
    }
    static std::span<std::byte> memory_of(wasm::Instance& instance) {
        static_cast<void>(instance.use_memory("memory"));
        return instance.memory();
    }
    std::span<const wasm::Cell> arguments_;
    std::span<std::byte> memory_;
};

}  // namespace gyre::cli
