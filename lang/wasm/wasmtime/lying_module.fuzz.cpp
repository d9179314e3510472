// SPDX-License-Identifier: Apache-2.0
// Fuzz target, with the engine: a module that says what the input says. By the first byte, the rest is either what the functions of
// the protocol return, the frames that they write and the tasks that they start, or custom sections of a module.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "lang/wasm/fake_module.test.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/protocol_frames.test.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

using namespace gyre::wasm;
namespace effect = gyre::effect;

namespace {

// `fuzz.number` gives a byte of the input, `fuzz.fill` writes some to memory and says how many, or lies.
constexpr const char* text = R"((module
  (@custom "__voyd_effect_table" "\02\00\00\00\02\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\07\00\00\00\18\00\00\00"
    "\01\00\00\00\00\00\00\00\02\00\00\00\00\00\00\00\00\00\00\00\07\00\00\00\1e\00\00\00"
    "e\00voyd.std.task.runtime\00E.ask\00T.wait\00")
  (@custom "voyd.export_abi" "{\22version\22:2,\22hostAbi\22:2,\22dtoSchemaAbi\22:1,"
    "\22transport\22:{\22id\22:\22voyd.std.msgpack\22,\22version\22:1},\22exports\22:[{\22id\22:5,\22name\22:\22main\22,"
    "\22abi\22:\22serialized\22}]}")
  (import "fuzz" "number" (func $number (result i32)))
  (import "fuzz" "fill" (func $fill (param i32) (result i32)))
  (import "voyd.task" "spawn_attached__child" (func $spawn (param anyref) (result i32)))
  (import "voyd.task" "cancel" (func $cancel (param i32) (result i32)))
  (import "voyd.task" "take_value" (func $take (param i32) (result anyref)))
  (type $box (struct (field i32)))
  (global $task (mut i32) (i32.const 0))
  (memory (export "memory") 1)
  (func $act (result anyref) (local $what i32)
    (local.set $what (call $number))
    (if (i32.eq (local.get $what) (i32.const 1))
      (then (global.set $task (call $spawn (struct.new $box (i32.const 1))))))
    (if (i32.eq (local.get $what) (i32.const 2)) (then (drop (call $cancel (global.get $task)))))
    (if (i32.eq (local.get $what) (i32.const 3)) (then (return (call $take (global.get $task)))))
    (if (i32.eq (local.get $what) (i32.const 4)) (then (unreachable)))
    (if (i32.eq (local.get $what) (i32.const 5)) (then (return (ref.null any))))
    (if (i32.eq (local.get $what) (i32.const 6)) (then (drop (memory.grow (i32.const 1)))))
    (if (i32.eq (local.get $what) (i32.const 7)) (then (return (ref.i31 (i32.const 1)))))
    (struct.new $box (local.get $what)))
  (func (export "init_effects") (param i32) (drop (call $number)))
  (func (export "effect_status") (param anyref) (result i32)
    (i32.rem_u (call $number) (i32.const 3)))
  (func (export "effect_len") (param anyref) (result i32) (global.get $len))
  (func (export "effect_cont") (param anyref) (result anyref) (return_call $act))
  (global $len (mut i32) (i32.const 0))
  (func (export "child") (param anyref) (result anyref) (return_call $act))
  (func (export "main"))
  (func (export "main_effectful_raw") (param i32 i32 i32 i32) (result anyref) (return_call $act))
  (func (export "handle_outcome") (param $o anyref) (param $at i32) (param $cap i32) (param i32 i32) (result anyref)
    (global.set $len (call $fill (local.get $at)))
    (local.get $o))
  (func (export "resume_effectful_raw") (param anyref i32 i32) (result anyref) (return_call $act))
  (func (export "resume_effectful") (param anyref i32 i32 i32 i32 i32) (result anyref) (return_call $act))
  (func (export "end_request_raw") (param anyref i32 i32) (result anyref) (return_call $act))))";

struct Input {
    const std::uint8_t* data;
    std::size_t size;
    std::uint8_t byte() {
        if (size == 0) return 0;
        --size;
        return *data++;
    }
};

std::int32_t fill(Input& input, std::span<std::byte> memory, std::uint32_t at) {
    std::string frame = protocol_frames[input.byte() % std::size(protocol_frames)];
    for (std::uint8_t changes = input.byte() % 8; changes > 0; --changes) {
        frame[input.byte() % frame.size()] = static_cast<char>(input.byte());
    }
    const std::uint8_t lie = input.byte();
    if (at <= memory.size() && frame.size() <= memory.size() - at) {
        std::memcpy(memory.data() + at, frame.data(), frame.size());
    }
    if (lie == 255) return -1;
    if (lie == 254) return INT32_MAX;
    return static_cast<std::int32_t>(frame.size()) + (lie >= 240 ? lie - 247 : 0);
}

Engine& engine() {
    static const std::unique_ptr<Engine> made = make_wasmtime();
    return *made;
}

void run_lying(Input input) {
    static const std::shared_ptr<const Program> program = Program::read(engine().compile(text));
    GuestOptions options;
    options.limits = {.memory_max_bytes = std::size_t{4} << 20u, .is_preemptible = false};
    options.buffer_size_bytes = 1'024;
    options.buffer_max_bytes = 65'536;
    options.imports = [&input](effect::RunId) {
        std::vector<HostImport> imports;
        imports.push_back(
            {"fuzz", "number", [&input](Instance&, std::span<const Cell>, std::span<Cell> results) {
                 results[0] = cell(input.byte());
             }});
        imports.push_back({"fuzz", "fill",
                           [&input](Instance& instance, std::span<const Cell> arguments,
                                    std::span<Cell> results) {
                               results[0] =
                                   cell(fill(input, instance.memory(),
                                             static_cast<std::uint32_t>(arguments[0].i32)));
                           }});
        return imports;
    };
    const std::uint8_t how = input.byte();
    WasmGuest guest(program, std::move(options));
    {
        effect::EffectWorld world;
        world.handlers.on("e", "ask", effect::any_signature,
                          [how](effect::Context&, const effect::Arguments&) -> effect::Answer {
                              if (how % 4 == 1) return effect::end(3);
                              return effect::resume(7);
                          });
        static_cast<void>(world.run(guest));
    }
    GYRE_ASSERT(guest.instance_count() == 0, "a run that was not ended");
}

void read_sections(Input input) {
    std::string bytes = module_head();
    while (input.size > 0) {
        constexpr std::string_view names[] = {"__voyd_effect_table", "voyd.export_abi",
                                              "voyd.effect_abi", "other"};
        const std::string_view name = names[input.byte() % std::size(names)];
        const std::size_t size = std::min<std::size_t>(input.size, input.byte() * 8u);
        bytes += custom_section(name, {reinterpret_cast<const char*>(input.data), size});
        input.data += size;
        input.size -= size;
    }
    try {
        static_cast<void>(Program::read(engine().compile(bytes)));
    } catch (const CompileError& error) {
        GYRE_ASSERT(error.what()[0] != '\0', "an error without a message");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4'096) return 0;
    Input input{data + 1, size - 1};
    if (data[0] % 2 == 0) {
        run_lying(input);
    } else {
        read_sections(input);
    }
    return 0;
}
