// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/wasmtime/internal/errors.hpp"

#include <array>
#include <string_view>

#include "gyre/effect/run_outcome.hpp"

namespace gyre::wasm {
namespace {

using effect::ErrorKind;
using effect::GuestTrap;

constexpr std::uint8_t stack_overflow = 0;
constexpr std::uint8_t interrupted = 10;
constexpr std::uint8_t out_of_fuel = 11;
constexpr std::uint8_t allocation_too_large = 15;
constexpr std::array<const char*, 17> code_names = {"call stack exhausted",
                                                    "out of bounds memory access",
                                                    "misaligned atomic access",
                                                    "out of bounds table access",
                                                    "indirect call to null",
                                                    "indirect call type mismatch",
                                                    "integer overflow",
                                                    "integer divide by zero",
                                                    "invalid conversion to integer",
                                                    "unreachable",
                                                    "interrupted",
                                                    "out of fuel",
                                                    "atomic wait on memory that is not shared",
                                                    "null reference",
                                                    "out of bounds array access",
                                                    "allocation too large",
                                                    "cast failure"};

std::string text_of(wasm_byte_vec_t& bytes) {
    std::string text(bytes.data, bytes.size);
    wasm_byte_vec_delete(&bytes);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

// The innermost function, which is the first of the trace.
GuestTrap::Place place_of(wasm_frame_vec_t& frames, const char* code) {
    GuestTrap::Place place{.code = code, .function = "", .offset = 0};
    if (frames.size > 0) {
        const wasm_frame_t* frame = frames.data[0];
        const wasm_byte_vec_t* name = wasmtime_frame_func_name(frame);
        place.function = name != nullptr
                             ? std::string(name->data, name->size)
                             : "function " + std::to_string(wasm_frame_func_index(frame));
        place.offset = wasm_frame_module_offset(frame);
    }
    wasm_frame_vec_delete(&frames);
    return place;
}

ErrorKind kind_of(std::uint8_t code) noexcept {
    switch (code) {
        case stack_overflow:
            return ErrorKind::stack_limit;
        case interrupted:
        case out_of_fuel:
            return ErrorKind::time_limit;
        case allocation_too_large:
            return ErrorKind::memory_limit;
        default:
            return ErrorKind::trap;
    }
}

[[noreturn]] void throw_at(ErrorKind kind, const std::string& what, GuestTrap::Place place) {
    std::string message = what;
    if (!place.function.empty()) {
        message += " in " + place.function + " at offset " + std::to_string(place.offset);
    }
    throw GuestTrap(kind, message, std::move(place));
}

}  // namespace

std::string message_of(const ErrorPtr& error) {
    wasm_byte_vec_t bytes{};
    wasmtime_error_message(error.get(), &bytes);
    return text_of(bytes);
}

void throw_trap(const TrapPtr& trap) {
    wasm_frame_vec_t frames{};
    wasm_trap_trace(trap.get(), &frames);
    std::uint8_t code = UINT8_MAX;
    if (!wasmtime_trap_code(trap.get(), &code) || code >= code_names.size()) {
        wasm_byte_vec_t bytes{};
        wasm_trap_message(trap.get(), &bytes);
        throw_at(ErrorKind::trap, text_of(bytes), place_of(frames, "trap"));
    }
    throw_at(kind_of(code), std::string("trap: ") + code_names[code],
             place_of(frames, code_names[code]));
}

void throw_error(const ErrorPtr& error) {
    wasm_frame_vec_t frames{};
    wasmtime_error_wasm_trace(error.get(), &frames);
    const std::string whole = message_of(error);
    const bool is_heap = whole.find("GC heap") != std::string::npos ||
                         whole.find("out of memory") != std::string::npos ||
                         whole.find("memory minimum size") != std::string::npos;
    if (is_heap) {
        throw_at(ErrorKind::memory_limit, "the guest's heap is full", place_of(frames, "heap"));
    }
    throw_at(ErrorKind::guest_failed, whole, place_of(frames, "error"));
}

}  // namespace gyre::wasm
