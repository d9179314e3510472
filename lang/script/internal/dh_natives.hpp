// SPDX-License-Identifier: Apache-2.0
// The natives of classic Diffie-Hellman and of primes in node:crypto. Numbers are hexadecimal texts. In a
// build without OpenSSL they give nothing. The script's thread.
#pragma once

#include "lang/script/engine.hpp"

namespace gyre::script::dh {

// Of numbers: a larger one is refused.
inline constexpr int bits_max = 10'000;

// dhPrime(name): the prime of a group of RFC 2409 or 3526: "modp14".
void prime(NativeCall& call);
// dhPower(base, exponent, modulus): in constant time for the exponent.
void power(NativeCall& call);
// primeMake(bits, whether it is safe, add or "", remainder or "")
void make_prime(NativeCall& call);
// primeCheck(number): whether it is one, probably.
void check_prime(NativeCall& call);

}  // namespace gyre::script::dh
