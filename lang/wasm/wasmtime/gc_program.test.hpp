// SPDX-License-Identifier: Apache-2.0
// gc_program: a random module that allocates structs and arrays, links them, casts them and forgets them, and whose function
// `main` returns a hash of all that it has seen. The hash does not depend on the collector: addresses show only through
// ref.eq. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/base/random.hpp"

namespace gyre::wasm {

class GcProgram {
public:
    explicit GcProgram(std::uint64_t seed) : random_(seed) {}

    // The loop of `main` runs `rounds` times.
    [[nodiscard]] std::string text(int rounds) {
        std::string body;
        const std::uint64_t count = 12 + random_.below(24);
        for (std::uint64_t i = 0; i < count; ++i) body += statement(2);
        return std::string("(module") + types + helpers +
               "\n(func (export \"main\") (result i32)\n" +
               "  (local $n i32) (local $hash i32) (local $i i32)\n" + slot_locals() +
               "  (global.set $roots (array.new_default $list (i32.const 16)))\n" +
               "  (local.set $n (i32.const " + std::to_string(rounds) + "))\n  (loop $again\n" +
               body + "    (local.set $n (i32.sub (local.get $n) (i32.const 1)))\n" +
               "    (br_if $again (local.get $n)))\n" + final_hash() + "))";
    }

private:
    static constexpr int slot_count = 6;
    // $base is the supertype of $pair and $wide, $leaf extends $pair.
    static constexpr const char* types = R"(
(rec
  (type $base (sub (struct (field $a (mut i32)) (field $next (mut (ref null $base))))))
  (type $pair (sub $base (struct (field $a (mut i32)) (field $next (mut (ref null $base)))
                                 (field $any (mut anyref)) (field $long (mut i64)))))
  (type $leaf (sub final $pair (struct (field $a (mut i32)) (field $next (mut (ref null $base)))
                                       (field $any (mut anyref)) (field $long (mut i64))
                                       (field $small (mut i8)) (field $back (mut (ref null $pair))))))
  (type $wide (sub final $base (struct (field $a (mut i32)) (field $next (mut (ref null $base)))
                                       (field $l (mut (ref null $list))) (field $x (mut f64)))))
  (type $list (array (mut anyref)))
  (type $bases (array (mut (ref null $base))))
  (type $bytes (array (mut i8))))
(global $roots (mut (ref null $list)) (ref.null $list)))";
    static constexpr const char* helpers = R"(
(func $mix (param $h i32) (param $v i32) (result i32)
  (i32.xor (i32.mul (i32.rotl (local.get $h) (i32.const 5)) (i32.const 0x9e3779b1)) (local.get $v)))
;; The shape and the numbers of what is reachable, to a depth.
(func $hash_of (param $r anyref) (param $depth i32) (result i32) (local $h i32) (local $i i32)
  (if (ref.is_null (local.get $r)) (then (return (i32.const 3))))
  (if (ref.test (ref i31) (local.get $r))
    (then (return (i31.get_s (ref.cast (ref i31) (local.get $r))))))
  (if (i32.eqz (local.get $depth)) (then (return (i32.const 7))))
  (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
  (if (ref.test (ref $base) (local.get $r)) (then
    (local.set $h (struct.get $base $a (ref.cast (ref $base) (local.get $r))))
    (local.set $h (call $mix (local.get $h)
      (call $hash_of (struct.get $base $next (ref.cast (ref $base) (local.get $r))) (local.get $depth))))))
  (if (ref.test (ref $pair) (local.get $r)) (then
    (local.set $h (call $mix (local.get $h)
      (i32.wrap_i64 (struct.get $pair $long (ref.cast (ref $pair) (local.get $r))))))
    (local.set $h (call $mix (local.get $h)
      (call $hash_of (struct.get $pair $any (ref.cast (ref $pair) (local.get $r))) (local.get $depth))))))
  (if (ref.test (ref $leaf) (local.get $r)) (then
    (local.set $h (call $mix (local.get $h) (struct.get_s $leaf $small (ref.cast (ref $leaf) (local.get $r)))))
    (local.set $h (call $mix (local.get $h)
      (call $hash_of (struct.get $leaf $back (ref.cast (ref $leaf) (local.get $r))) (local.get $depth))))))
  (if (ref.test (ref $wide) (local.get $r)) (then
    (local.set $h (call $mix (local.get $h)
      (i32.trunc_sat_f64_s (struct.get $wide $x (ref.cast (ref $wide) (local.get $r))))))
    (local.set $h (call $mix (local.get $h)
      (call $hash_of (struct.get $wide $l (ref.cast (ref $wide) (local.get $r))) (local.get $depth))))))
  (if (ref.test (ref $list) (local.get $r)) (then
    (local.set $i (array.len (ref.cast (ref $list) (local.get $r))))
    (local.set $h (local.get $i))
    (block $done (loop $next
      (br_if $done (i32.eqz (local.get $i)))
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (local.set $h (call $mix (local.get $h)
        (call $hash_of (array.get $list (ref.cast (ref $list) (local.get $r)) (local.get $i)) (local.get $depth))))
      (br $next)))))
  (if (ref.test (ref $bases) (local.get $r)) (then
    (local.set $h (array.len (ref.cast (ref $bases) (local.get $r))))
    (if (local.get $h) (then (local.set $h (call $mix (local.get $h)
      (call $hash_of (array.get $bases (ref.cast (ref $bases) (local.get $r)) (i32.const 0)) (local.get $depth))))))))
  (if (ref.test (ref $bytes) (local.get $r)) (then
    (local.set $h (array.len (ref.cast (ref $bytes) (local.get $r))))
    (if (local.get $h) (then (local.set $h (call $mix (local.get $h)
      (array.get_u $bytes (ref.cast (ref $bytes) (local.get $r)) (i32.sub (local.get $h) (i32.const 1)))))))))
  (local.get $h))
(func $as_base (param $r anyref) (result (ref null $base))
  (block $no (result anyref)
    (return (br_on_cast_fail $no anyref (ref null $base) (local.get $r))))
  (drop) (ref.null $base))
(func $as_pair (param $r anyref) (result (ref null $pair))
  (if (result (ref null $pair)) (ref.test (ref $pair) (local.get $r))
    (then (ref.cast (ref $pair) (local.get $r))) (else (ref.null $pair))))
(func $as_list (param $r anyref) (result (ref null $list))
  (if (result (ref null $list)) (ref.test (ref $list) (local.get $r))
    (then (ref.cast (ref $list) (local.get $r))) (else (ref.null $list))))
;; Keeps a reference alive on the stack alone while others are allocated.
(func $deep (param $r anyref) (param $depth i32) (result anyref) (local $made (ref null $pair))
  (if (i32.eqz (local.get $depth)) (then (return (local.get $r))))
  (local.set $made (struct.new $pair (local.get $depth) (call $as_base (local.get $r)) (local.get $r) (i64.const 9)))
  (drop (call $deep (struct.new $base (i32.const 1) (local.get $made)) (i32.sub (local.get $depth) (i32.const 1))))
  (struct.get $pair $any (local.get $made))))";

    [[nodiscard]] static std::string slot_locals() {
        std::string text;
        for (int i = 0; i < slot_count; ++i) text += " (local $s" + std::to_string(i) + " anyref)";
        return text + "\n";
    }
    [[nodiscard]] static std::string final_hash() {
        std::string text;
        for (int i = 0; i < slot_count; ++i) {
            text += hashed("(call $hash_of (local.get $s" + std::to_string(i) + ") (i32.const 3))");
        }
        return text + hashed("(call $hash_of (global.get $roots) (i32.const 3))") +
               "  (local.get $hash)";
    }
    [[nodiscard]] static std::string hashed(const std::string& value) {
        return "    (local.set $hash (call $mix (local.get $hash) " + value + "))\n";
    }

    [[nodiscard]] std::string slot() { return "$s" + std::to_string(random_.below(slot_count)); }
    [[nodiscard]] std::string get() { return "(local.get " + slot() + ")"; }
    [[nodiscard]] std::string set(const std::string& value) {
        return "    (local.set " + slot() + " " + value + ")\n";
    }
    [[nodiscard]] std::string number() {
        if (random_.one_in(2)) return "(local.get $n)";
        return "(i32.const " + std::to_string(random_.below(1'000)) + ")";
    }
    [[nodiscard]] std::string length() {
        return "(i32.and " + number() + " (i32.const " + (random_.one_in(4) ? "127" : "15") + "))";
    }
    // A position in the roots, or that of a list in $i.
    [[nodiscard]] std::string root_index() { return "(i32.and " + number() + " (i32.const 15))"; }
    [[nodiscard]] std::string base() { return "(call $as_base " + get() + ")"; }

    [[nodiscard]] std::string allocation() {
        switch (random_.below(8)) {
            case 0:
                return "(struct.new $base " + number() + " " + base() + ")";
            case 1:
                return "(struct.new $pair " + number() + " " + base() + " " + get() +
                       " (i64.extend_i32_s " + number() + "))";
            case 2:
                return "(struct.new $leaf " + number() + " " + base() + " " + get() +
                       " (i64.const 77) " + number() + " (call $as_pair " + get() + "))";
            case 3:
                return "(struct.new $wide " + number() + " " + base() + " (call $as_list " + get() +
                       ") (f64.convert_i32_s " + number() + "))";
            case 4:
                return "(array.new $list " + get() + " " + length() + ")";
            case 5:
                return "(array.new_fixed $bases 3 " + base() + " " + base() + " " + base() + ")";
            case 6:
                return "(array.new $bytes " + number() + " " + length() + ")";
            default:
                return "(ref.i31 " + number() + ")";
        }
    }
    // `then` with a slot that is of the type.
    [[nodiscard]] std::string if_is(const std::string& type, const std::string& then_with) {
        const std::string one = get();
        std::string then = then_with;
        const std::string place = "@";
        for (std::size_t at = then.find(place); at != std::string::npos; at = then.find(place)) {
            then.replace(at, 1, "(ref.cast (ref " + type + ") " + one + ")");
        }
        return "    (if (ref.test (ref " + type + ") " + one + ") (then " + then + "))\n";
    }
    // If the list in the slot is not empty: with $i inside of it.
    [[nodiscard]] std::string at_place(const std::string& type, const std::string& then) {
        return if_is(type, "(if (array.len @) (then (local.set $i (i32.rem_u " + number() +
                               " (array.len @))) " + then + "))");
    }
    [[nodiscard]] std::string statement(int depth) {
        switch (random_.below(16)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return set(allocation());
            case 4:
                return if_is("$base", "(struct.set $base $next @ " + base() + ")");
            case 5:
                return if_is("$pair", "(struct.set $pair $any @ " + get() + ")");
            case 6:
                return if_is("$leaf", "(struct.set $leaf $back @ (call $as_pair " + get() + "))");
            case 7:
                return if_is("$base", set("(struct.get $base $next @)"));
            case 8:
                return if_is("$pair", set("(struct.get $pair $any @)"));
            case 9:
                return at_place("$list", "(array.set $list @ (local.get $i) " + get() + ")");
            case 10:
                return at_place("$list", set("(array.get $list @ (local.get $i))"));
            case 11:
                return "    (array.set $list (global.get $roots) " + root_index() + " " + get() +
                       ")\n";
            case 12:
                return set("(array.get $list (global.get $roots) " + root_index() + ")");
            case 13:
                return hashed("(ref.eq (ref.cast eqref " + get() + ") (ref.cast eqref " + get() +
                              "))");
            case 14:
                return set("(call $deep " + get() + " (i32.const " +
                           std::to_string(1 + random_.below(20)) + "))");
            default:
                break;
        }
        if (depth == 0 || random_.one_in(3))
            return hashed("(call $hash_of " + get() + " (i32.const 2))");
        return "    (if (i32.and " + number() + " (i32.const 1)) (then " + statement(depth - 1) +
               ") (else " + statement(depth - 1) + "))\n";
    }

    Random random_;
};

}  // namespace gyre::wasm
