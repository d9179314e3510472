// SPDX-License-Identifier: Apache-2.0
// The hostile modules of ./dev attack wasm, each with the outcome that is promised for it. One thread.
#pragma once

#include <string>
#include <vector>

#include "lang/wasm/conform/internal/step_module.hpp"

namespace gyre::attack {

struct HostileModule {
    std::string name;
    std::string promised;  // `value`, or the kind of the failure
    std::string text;
};

// A module of the second generation that performs await(1) once, with these bodies of its two functions.
inline std::string stepping(const std::string& start, const std::string& resume,
                            const std::string& more = "") {
    std::string text = wasm::step_module(wasm::Generation::second);
    const auto replace = [&text](const std::string& import, const std::string& function) {
        const std::size_t at = text.find(import);
        text.replace(at, import.size(), function);
    };
    replace(R"((import "conform" "start" (func $start (result i64))))", "");
    replace(R"((import "conform" "resume" (func $resume (param i32) (result i64))))", "");
    text.pop_back();
    return text + "(func $start (result i64) " + start +
           ") (func $resume (param i32) (result i64) " + resume + ")" + more + ")";
}

inline std::vector<HostileModule> hostile_modules() {
    const std::string asks = "(i64.const 0x100000001)";
    const std::string gives = "(i64.const 0)";
    const std::string loop = "(loop (br 0)) (unreachable)";
    const std::string plain = R"((module (func (export "main") )";
    const std::string node =
        R"((module (type $n (struct (field (mut (ref null $n))) (field i64 i64 i64)))
        (global $all (mut (ref null $n)) (ref.null $n)) (func (export "main") )";
    return {
        {"endless loop in the start function", "time_limit",
         R"((module (func $s (loop (br 0))) (start $s) (func (export "main"))))"},
        {"endless loop in the function", "time_limit", plain + "(loop (br 0))))"},
        {"endless loop after a resume", "time_limit", stepping(asks, loop)},
        {"endless loop in a call of the host", "time_limit",
         // The host looks at the status of a result: such a call may take a few ticks.
         [&] {
             std::string text = stepping(asks, gives);
             const std::string body = "(struct.get $result $status (local.get 0)))";
             const std::size_t at = text.find(body);
             return text.replace(at, body.size(), loop + ")");
         }()},
        {"linear memory, grown to the limit", "value",
         R"((module (memory 1) (func (export "main")
            (loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))))))"},
        {"a memory that begins above the limit", "memory_limit",
         R"((module (memory 60000) (func (export "main"))))"},
        {"table, grown to the limit", "value",
         R"((module (table 1 funcref) (func (export "main")
            (loop (br_if 0 (i32.ne (table.grow (ref.null func) (i32.const 10000)) (i32.const -1)))))))"},
        {"GC heap, all kept", "memory_limit",
         node +
             "(loop (global.set $all (struct.new $n (global.get $all) (i64.const 1) (i64.const 2) "
             "(i64.const 3))) (br 0))))"},
        {"GC heap, one large array", "memory_limit",
         R"((module (type $a (array (mut i64))) (func (export "main")
            (drop (array.new_default $a (i32.const 200000000))))))"},
        {"cyclic garbage, for ever", "time_limit",
         node + "(local $a (ref null $n)) (loop (local.set $a (struct.new $n (ref.null $n) "
                "(i64.const 1) "
                "(i64.const 2) (i64.const 3))) (struct.set $n 0 (local.get $a) (local.get $a)) (br "
                "0))))"},
        {"recursion without an end", "stack_limit",
         R"((module (func $f (export "main") (result i32) (i32.add (i32.const 1) (call $f)))))"},
        {"an import that nobody has", "guest_failed",
         R"((module (import "env" "secret" (func)) (func (export "main"))))"},
        {"a frame longer than its buffer", "buffer_overflow",
         [&] {
             std::string text = stepping(asks, gives);
             const std::string body = "(struct.get $result $len (local.get 0)))";
             const std::size_t at = text.find(body);
             return text.replace(at, body.size(), "(i32.const 0x7fffffff))");
         }()},
        {"an op that its table does not have", "op_mismatch",
         stepping("(i64.const 0x100000003)", gives)},
        {"an argument of another type", "decode_failed",
         stepping("(i64.const 0x100000004)", gives)},
        {"a status that does not exist", "invalid_status",
         stepping("(i64.const 0x100000002)", gives)},
        {"a trap", "trap", plain + "(unreachable)))"},
        {"effects without an end", "time_limit", stepping(asks, asks)},
    };
}

}  // namespace gyre::attack
