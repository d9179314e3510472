;; SPDX-License-Identifier: Apache-2.0
;; A module that performs two effects, written by hand in generation A of Voyd's host protocol: it awaits 1, then 3, and ends with
;; 10 times the last answer. Its first request is answered later, the second at once.
;;
;;     $ gyre run examples/wasm/trace.wat --handlers examples/wasm/trace.json --steps --clock virtual
;;     run 1: starts main()
;;     run 1: performs Async.await(1)
;;     run 1: Async.await is answered with resume 2
;;     run 1: performs Async.await(3)
;;     run 1: Async.await is answered with resume 4
;;     run 1: ends with 40
;;     run 1: settled value 40
;;     {"kind":"value","value":40}
(module
  ;; One op: await of the effect com.example.async, which resumes.
  (@custom "__voyd_effect_table" "\02\00\00\00\01\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\07\00\00\00\12\00\00\00"
    "com.example.async\00Async.await\00")
  ;; What a call returns to the host: a status (0 a value, 1 a request), the request, and the length of the frame.
  (type $request (struct (field $step i32)))
  (type $result (struct (field $status i32) (field $request (ref null $request)) (field $length i32)))
  (memory (export "memory") 1)
  ;; A request in MessagePack; its last byte is the argument.
  (data $await "\86\a8effectId\01\a4opId\00\a7opIndex\00\aaresumeKind\00\a6handle\00\a4args\91\00")

  (func (export "effect_status") (param (ref null $result)) (result i32)
    (struct.get $result $status (local.get 0)))
  (func (export "effect_len") (param (ref null $result)) (result i32)
    (struct.get $result $length (local.get 0)))
  (func (export "effect_cont") (param (ref null $result)) (result anyref)
    (struct.get $result $request (local.get 0)))

  ;; Writes the request to the host's buffer, and keeps the step in the continuation.
  (func $perform (param $step i32) (param $argument i32) (param $at i32) (result (ref null $result))
    (memory.init $await (local.get $at) (i32.const 0) (i32.const 53))
    (i32.store8 offset=52 (local.get $at) (local.get $argument))
    (struct.new $result (i32.const 1) (struct.new $request (local.get $step)) (i32.const 53)))

  (func (export "main") (unreachable))
  (func (export "main_effectful") (param $at i32) (param $size i32) (result (ref null $result))
    (return_call $perform (i32.const 1) (i32.const 1) (local.get $at)))
  ;; The answer is at $at: small integers are one byte.
  (func (export "resume_effectful") (param $request anyref) (param $at i32) (param $length i32) (param $size i32)
    (result (ref null $result))
    (if (i32.eq (struct.get $request $step (ref.cast (ref $request) (local.get $request))) (i32.const 1))
      (then (return_call $perform (i32.const 2) (i32.const 3) (local.get $at))))
    (i32.store8 (local.get $at) (i32.mul (i32.load8_u (local.get $at)) (i32.const 10)))
    (struct.new $result (i32.const 0) (ref.null $request) (i32.const 1))))
