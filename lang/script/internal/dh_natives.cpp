// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/dh_natives.hpp"

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/bn.h>
#    include <openssl/err.h>

#    include <memory>
#    include <string>
#    include <utility>

namespace gyre::script::dh {
namespace {

struct Free {
    void operator()(BIGNUM* number) const { BN_clear_free(number); }
    void operator()(BN_CTX* context) const { BN_CTX_free(context); }
    void operator()(char* text) const { OPENSSL_free(text); }
};
template <class Kind>
using Own = std::unique_ptr<Kind, Free>;

// null: not a number, or a large one.
Own<BIGNUM> number_of(const std::string& text) {
    BIGNUM* made = nullptr;
    const bool is_number = !text.empty() && text.size() <= std::size_t{bits_max} / 4 &&
                           BN_hex2bn(&made, text.c_str()) == static_cast<int>(text.size());
    Own<BIGNUM> own(made);
    return is_number ? std::move(own) : nullptr;
}

void give(NativeCall& call, const BIGNUM* number) {
    const Own<char> text(BN_bn2hex(number));
    if (text) call.give_text(text.get());
}

}  // namespace

void prime(NativeCall& call) {
    struct Group {
        const char* name;
        BIGNUM* (*make)(BIGNUM*);
    };
    static constexpr Group groups[] = {
        {"modp1", &BN_get_rfc2409_prime_768},   {"modp2", &BN_get_rfc2409_prime_1024},
        {"modp5", &BN_get_rfc3526_prime_1536},  {"modp14", &BN_get_rfc3526_prime_2048},
        {"modp15", &BN_get_rfc3526_prime_3072}, {"modp16", &BN_get_rfc3526_prime_4096},
        {"modp17", &BN_get_rfc3526_prime_6144}, {"modp18", &BN_get_rfc3526_prime_8192}};
    const std::string name = call.text(0);
    for (const Group& group : groups) {
        if (name != group.name) continue;
        const Own<BIGNUM> found(group.make(nullptr));
        if (found) give(call, found.get());
        return;
    }
}

void power(NativeCall& call) {
    const Own<BIGNUM> base = number_of(call.text(0));
    const Own<BIGNUM> exponent = number_of(call.text(1));
    const Own<BIGNUM> modulus = number_of(call.text(2));
    const Own<BN_CTX> context(BN_CTX_new());
    const Own<BIGNUM> result(BN_new());
    if (!base || !exponent || !modulus || !context || !result || BN_is_odd(modulus.get()) == 0)
        return;
    if (BN_mod_exp_mont_consttime(result.get(), base.get(), exponent.get(), modulus.get(),
                                  context.get(), nullptr) == 1) {
        give(call, result.get());
    }
    ERR_clear_error();
}

void make_prime(NativeCall& call) {
    const double bits = call.number(0);
    const Own<BIGNUM> made(BN_new());
    const Own<BIGNUM> add = number_of(call.text(2));
    const Own<BIGNUM> rest = number_of(call.text(3));
    if (!made || !(bits >= 1 && bits <= bits_max)) return;
    if (BN_generate_prime_ex(made.get(), static_cast<int>(bits), call.truth(1) ? 1 : 0, add.get(),
                             rest.get(), nullptr) == 1) {
        give(call, made.get());
    }
    ERR_clear_error();
}

void check_prime(NativeCall& call) {
    const Own<BIGNUM> number = number_of(call.text(0));
    const Own<BN_CTX> context(BN_CTX_new());
    if (!number || !context) return;
    // With its own number of tests, which is at least what Node's option asks for by default.
    const int found = BN_check_prime(number.get(), context.get(), nullptr);
    ERR_clear_error();
    call.give_truth(found == 1);
}

}  // namespace gyre::script::dh

#else

namespace gyre::script::dh {

void prime(NativeCall& /*call*/) {}
void power(NativeCall& /*call*/) {}
void make_prime(NativeCall& /*call*/) {}
void check_prime(NativeCall& /*call*/) {}

}  // namespace gyre::script::dh

#endif
