# SPDX-License-Identifier: Apache-2.0
"""Writes a module of the first generation that performs given effects, one after another, and ends with the last answer."""

import struct


def packed(value):
    """MessagePack, as far as the tests need it."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, bytes):
        return b"\xc5" + struct.pack(">H", len(value)) + value
    if isinstance(value, str):
        data = value.encode()
        return b"\xda" + struct.pack(">H", len(data)) + data
    if isinstance(value, list):
        return b"\xdc" + struct.pack(">H", len(value)) + b"".join(packed(one) for one in value)
    pairs = b"".join(packed(key) + packed(one) for key, one in value.items())
    return b"\xde" + struct.pack(">H", len(value)) + pairs


def quoted(data):
    return '"' + "".join(f"\\{byte:02x}" for byte in data) + '"'


def effect_table(ops):
    """Of (effect, op, is_tail) each; the hash of an effect is its place and 2."""
    names = b""
    entries = b""
    for index, (effect, op, is_tail) in enumerate(ops):
        effect_at = len(names)
        names += effect.encode() + b"\0"
        label_at = len(names)
        names += f"E.{op}".encode() + b"\0"
        entries += struct.pack("<7I", index, 2, effect_at, 0, int(is_tail), 3, label_at)
    return struct.pack("<2I", 2, len(ops)) + entries + names


def effect_module(*requests):
    """The text of a module; a request is (effect, op, is_tail, argument...)."""
    data = ""
    steps = ""
    for index, (_effect, _op, is_tail, *arguments) in enumerate(requests):
        payload = packed({"effectId": 2 << 32 | index, "opId": 0, "opIndex": index, "resumeKind": int(is_tail),
                          "handle": index, "args": arguments})
        data += f"(data $request{index} {quoted(payload)})\n"
        steps += f"""(if (i32.eq (global.get $at) (i32.const {index})) (then
            (global.set $at (i32.const {index + 1}))
            (memory.init $request{index} (local.get $to) (i32.const 0) (i32.const {len(payload)}))
            (return (struct.new $result (i32.const 1) (i32.const {len(payload)})))))\n"""
    table = quoted(effect_table([request[:3] for request in requests]))
    return f"""(module (@custom "__voyd_effect_table" {table})
        (type $result (struct (field i32) (field i32)))
        (memory (export "memory") 1) (global $at (mut i32) (i32.const 0))
        {data}
        (func $step (param $to i32) (param $size i32) (result (ref null $result))
            {steps}
            (struct.new $result (i32.const 0) (local.get $size)))
        (func (export "main"))
        (func (export "main_effectful") (param i32 i32) (result (ref null $result))
            (call $step (local.get 0) (i32.const 0)))
        (func (export "resume_effectful") (param anyref i32 i32 i32) (result (ref null $result))
            (call $step (local.get 1) (local.get 2)))
        (func (export "effect_status") (param (ref null $result)) (result i32)
            (struct.get $result 0 (local.get 0)))
        (func (export "effect_len") (param (ref null $result)) (result i32)
            (struct.get $result 1 (local.get 0)))
        (func (export "effect_cont") (param (ref null $result)) (result anyref) (local.get 0)))"""
