// SPDX-License-Identifier: Apache-2.0
// A custom request kind. A machine serves it; callers submit it, cancel it and get their callback
// as with the built-in requests.
//
//     $ build/release/bin/examples/13_own_request
//     42 is forty-two
//     7 was cancelled

#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/request.hpp"

using namespace gyre::handle;

class SpellOp : public gyre::Request {
public:
    explicit SpellOp(int wanted) : Request(gyre::OpCode::first_custom), number(wanted) {}
    int number;
    const char* word = "";
};

// Knows one number; keeps all others until they are cancelled.
class Speller : public gyre::Machine {
public:
    Speller() : Machine("speller") {}

private:
    void tick(gyre::Instant /*now*/) override {
        while (gyre::Op* op = next_submission()) {
            auto& spell = static_cast<SpellOp&>(*op);
            if (spell.number != 42) continue;
            spell.word = "forty-two";
            complete(spell, 0);
        }
        while (gyre::Op* op = next_cancellation()) {
            complete(*op, gyre::failure(std::errc::operation_canceled));
        }
    }
};

int main() {
    gyre::Program program;
    Speller speller;
    PhasedLoop loop(program.platform(), program.loop_options());
    loop.add_server(speller);

    SpellOp known(42);
    SpellOp unknown(7);
    known.set_destination(speller.ref());
    unknown.set_destination(speller.ref());
    OpRequest first;
    OpRequest second;
    (void)second.start(loop, unknown, [&](OpRequest&, std::int32_t) {
        std::printf("%d was %s\n", unknown.number,
                    unknown.is_cancelled() ? "cancelled" : "spelled");
    });
    (void)first.start(loop, known, [&](OpRequest&, std::int32_t) {
        std::printf("%d is %s\n", known.number, known.word);
        (void)second.cancel();
    });
    loop.run();
    loop.remove_server(speller);
}
