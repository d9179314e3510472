// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/conform/internal/step_module.hpp"

#include "gyre/base/assert.hpp"

namespace gyre::wasm {
namespace {

// The effect table, version 2: three ops with the ids 0 to 2 and the signature 7.
constexpr const char* table = R"(
  (@custom "__voyd_effect_table" "\02\00\00\00\03\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\07\00\00\00\12\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\07\00\00\00\1e\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\02\00\00\00\01\00\00\00\07\00\00\00\2a\00\00\00"
    "com.example.async\00Async.await\00Async.other\00Async.now\00"))";

constexpr const char* common = R"(
  (import "conform" "start" (func $start (result i64)))
  (import "conform" "resume" (func $resume (param i32) (result i64)))
  (type $request (struct (field $used (mut i32))))
  (type $outcome (struct (field $step i64)))
  (type $result (struct (field $status i32) (field $cont (ref null $request)) (field $len i32)))
  (memory (export "memory") 1)
  (func (export "init_effects") (param i32))
  (func (export "effect_status") (param (ref null $result)) (result i32)
    (struct.get $result $status (local.get 0)))
  (func (export "effect_len") (param (ref null $result)) (result i32)
    (struct.get $result $len (local.get 0)))
  (func (export "effect_cont") (param (ref null $result)) (result anyref)
    (struct.get $result $cont (local.get 0)))
  (func $kind (param $step i64) (result i32)
    (i32.and (i32.wrap_i64 (local.get $step)) (i32.const 255)))
  ;; The op of a step; one that the table does not have if the step lies about it.
  (func $op (param $step i64) (result i32)
    (if (result i32) (i32.eq (call $kind (local.get $step)) (i32.const 3))
      (then (i32.const 7))
      (else (i32.and (i32.shr_u (i32.wrap_i64 (local.get $step)) (i32.const 8)) (i32.const 255)))))
  (func $swap (param $n i32) (result i32)
    (i32.or
      (i32.rotl (i32.and (local.get $n) (i32.const 0x00ff00ff)) (i32.const 24))
      (i32.rotl (i32.and (local.get $n) (i32.const 0xff00ff00)) (i32.const 8))))
  (func $store_number (param $at i32) (param $step i64)
    (i32.store (local.get $at)
      (call $swap (i32.wrap_i64 (i64.shr_u (local.get $step) (i64.const 32))))))
  ;; An integer of MessagePack, in any of its formats.
  (func $load_number (param $at i32) (result i32) (local $head i32)
    (local.set $head (i32.load8_u (local.get $at)))
    (if (i32.lt_u (local.get $head) (i32.const 0x80)) (then (return (local.get $head))))
    (if (i32.ge_u (local.get $head) (i32.const 0xe0)) (then (return (i32.load8_s (local.get $at)))))
    (if (i32.eq (local.get $head) (i32.const 0xcc)) (then (return (i32.load8_u offset=1 (local.get $at)))))
    (if (i32.eq (local.get $head) (i32.const 0xd0)) (then (return (i32.load8_s offset=1 (local.get $at)))))
    (if (i32.eq (local.get $head) (i32.const 0xcd))
      (then (return (i32.shr_u (call $swap (i32.load16_u offset=1 (local.get $at))) (i32.const 16)))))
    (if (i32.eq (local.get $head) (i32.const 0xd1))
      (then (return (i32.shr_s (call $swap (i32.load16_u offset=1 (local.get $at))) (i32.const 16)))))
    (if (i32.or (i32.eq (local.get $head) (i32.const 0xce)) (i32.eq (local.get $head) (i32.const 0xd2)))
      (then (return (call $swap (i32.load offset=1 (local.get $at))))))
    (if (i32.or (i32.eq (local.get $head) (i32.const 0xcf)) (i32.eq (local.get $head) (i32.const 0xd3)))
      (then (return (call $swap (i32.load offset=5 (local.get $at))))))
    (unreachable))
  (func $encode (param $o (ref null $outcome)) (param $at i32) (result (ref null $result))
    (local $step i64)
    (local.set $step (struct.get $outcome $step (local.get $o)))
    (if (result (ref null $result)) (i32.eqz (call $kind (local.get $step)))
      (then (struct.new $result (i32.const 0) (ref.null $request)
              (call $write_value (local.get $step) (local.get $at))))
      (else (struct.new $result
              (select (i32.const 99) (i32.const 1) (i32.eq (call $kind (local.get $step)) (i32.const 2)))
              (struct.new $request (i32.const 0))
              (call $write_request (local.get $step) (local.get $at))))))
  ;; A request is continued once.
  (func $advance (param $r anyref) (param $answer i32) (result (ref null $outcome))
    (local $request (ref null $request))
    (local.set $request (ref.cast (ref null $request) (local.get $r)))
    (if (struct.get $request $used (local.get $request)) (then (unreachable)))
    (struct.set $request $used (local.get $request) (i32.const 1))
    (struct.new $outcome (call $resume (local.get $answer)))))";

constexpr const char* first_generation = R"(
  (data $request_frame "\86\a8effectId\01\a4opId\00\a7opIndex\00\aaresumeKind\00\a6handle\00\a4args\91\d2\00\00\00\00")
  (func $write_request (param $step i64) (param $at i32) (result i32)
    (memory.init $request_frame (local.get $at) (i32.const 0) (i32.const 57))
    (i32.store8 offset=16 (local.get $at) (call $op (local.get $step)))
    (i32.store8 offset=25 (local.get $at) (call $op (local.get $step)))
    (i32.store8 offset=37 (local.get $at) (i32.eq (call $op (local.get $step)) (i32.const 2)))
    (i32.store8 offset=45 (local.get $at) (call $op (local.get $step)))
    (call $store_number (i32.add (local.get $at) (i32.const 53)) (local.get $step))
    (if (i32.eq (call $kind (local.get $step)) (i32.const 4))
      (then (i32.store8 offset=51 (local.get $at) (i32.const 0xc0))))
    (i32.const 57))
  (func $write_value (param $step i64) (param $at i32) (result i32)
    (i32.store8 (local.get $at) (i32.const 0xd2))
    (call $store_number (i32.add (local.get $at) (i32.const 1)) (local.get $step))
    (i32.const 5))
  (func (export "main") (unreachable))
  (func (export "main_effectful") (param $at i32) (param $cap i32) (result (ref null $result))
    (return_call $encode (struct.new $outcome (call $start)) (local.get $at)))
  (func (export "resume_effectful") (param $r anyref) (param $at i32) (param $len i32) (param $cap i32)
    (result (ref null $result))
    (return_call $encode (call $advance (local.get $r) (call $load_number (local.get $at))) (local.get $at))))";

constexpr const char* second_generation = R"(
  (@custom "voyd.effect_abi" "{\22version\22:1,\22ops\22:["
    "{\22opIndex\22:0,\22params\22:[{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}],\22result\22:{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}},"
    "{\22opIndex\22:1,\22params\22:[{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}],\22result\22:{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}},"
    "{\22opIndex\22:2,\22params\22:[{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}],\22result\22:{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}}]}")
  (@custom "voyd.export_abi" "{\22version\22:2,\22hostAbi\22:2,\22dtoSchemaAbi\22:1,"
    "\22transport\22:{\22id\22:\22voyd.std.msgpack\22,\22version\22:1},\22exports\22:[{\22id\22:5,\22name\22:\22main\22,"
    "\22abi\22:\22serialized\22,\22params\22:[],\22result\22:{\22kind\22:\22i32\22,\22fingerprint\22:\22f\22}}]}")
  (data $request_frame "\99\02\02\00\b1com.example.async\00\07\00\91\92\a1f\d2\00\00\00\00\a1f")
  (data $value_frame "\94\02\01\05\92\00\92\a1f\d2")
  (func $write_request (param $step i64) (param $at i32) (result i32)
    (memory.init $request_frame (local.get $at) (i32.const 0) (i32.const 36))
    (i32.store8 offset=3 (local.get $at) (call $op (local.get $step)))
    (i32.store8 offset=22 (local.get $at) (call $op (local.get $step)))
    (i32.store8 offset=24 (local.get $at) (i32.eq (call $op (local.get $step)) (i32.const 2)))
    (call $store_number (i32.add (local.get $at) (i32.const 30)) (local.get $step))
    (if (i32.eq (call $kind (local.get $step)) (i32.const 4))
      (then (i32.store8 offset=28 (local.get $at) (i32.const 0x67))))
    (i32.const 36))
  (func $write_value (param $step i64) (param $at i32) (result i32)
    (memory.init $value_frame (local.get $at) (i32.const 0) (i32.const 10))
    (call $store_number (i32.add (local.get $at) (i32.const 10)) (local.get $step))
    (i32.const 14))
  (func $answer (param $at i32) (result i32)
    (call $load_number (i32.add (local.get $at) (i32.const 9))))
  (func (export "main") (unreachable))
  (func (export "main_effectful_raw") (param i32 i32 i32 i32) (result (ref null $outcome))
    (struct.new $outcome (call $start)))
  (func (export "main_effectful") (param $in i32) (param $len i32) (param $at i32) (param $cap i32)
    (result (ref null $result))
    (return_call $encode (struct.new $outcome (call $start)) (local.get $at)))
  (func (export "handle_outcome") (param $o (ref null $outcome)) (param $at i32) (param $cap i32)
    (param $kind i32) (param $id i32) (result (ref null $result))
    (return_call $encode (local.get $o) (local.get $at)))
  (func (export "resume_effectful_raw") (param $r anyref) (param $at i32) (param $len i32)
    (result (ref null $outcome))
    (return_call $advance (local.get $r) (call $answer (local.get $at))))
  (func (export "resume_effectful") (param $r anyref) (param $at i32) (param $len i32) (param $cap i32)
    (param $kind i32) (param $id i32) (result (ref null $result))
    (return_call $encode (call $advance (local.get $r) (call $answer (local.get $at))) (local.get $at)))
  (func (export "end_request_raw") (param $r anyref) (param $at i32) (param $len i32)
    (result (ref null $outcome))
    (struct.new $outcome
      (i64.shl (i64.extend_i32_u (call $answer (local.get $at))) (i64.const 32)))))";

}  // namespace

std::string step_module(Generation generation) {
    GYRE_ASSERT(generation != Generation::plain, "a plain module performs no effects");
    const bool is_first = generation == Generation::first;
    return std::string("(module") + table + common +
           (is_first ? first_generation : second_generation) + ")";
}

}  // namespace gyre::wasm
