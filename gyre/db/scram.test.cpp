// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/scram.hpp"

#include <gtest/gtest.h>

#include "gyre/db/error.hpp"

namespace gyre::db::postgres {
namespace {

constexpr const char* server_first =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

std::string refusal_of(const std::string& first) {
    try {
        static_cast<void>(Scram("pencil", "rOprNGfwEbeRWgbNEkqO").final_message(first));
    } catch (const DbError& e) {
        return e.message();
    }
    return "taken";
}

// The exchange of RFC 7677, section 3.
TEST(Scram, proves_the_password_as_the_rfc_does) {
    Scram scram("pencil", "rOprNGfwEbeRWgbNEkqO", "user");
    EXPECT_EQ(scram.first_message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    EXPECT_EQ(scram.final_message(server_first),
              "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
              "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    EXPECT_NO_THROW(scram.check("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
}

TEST(Scram, refuses_a_server_that_does_not_know_the_password) {
    Scram scram("pencil", "rOprNGfwEbeRWgbNEkqO", "user");
    EXPECT_THROW(scram.check("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="), DbError);
    static_cast<void>(scram.final_message(server_first));
    EXPECT_THROW(scram.check("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="), DbError);
    EXPECT_THROW(scram.check("v="), DbError);
    EXPECT_THROW(scram.check("e=other-error"), DbError);
}

TEST(Scram, refuses_first_messages_that_do_not_answer_ours) {
    const std::string stranger =
        "the server broke the protocol: a SCRAM message that does not answer ours";
    EXPECT_EQ(refusal_of("r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"), stranger);
    EXPECT_EQ(refusal_of("r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"), stranger);
    EXPECT_EQ(refusal_of("r=rOprNGfwEbeRWgbNEkqOx,s=***,i=4096"), stranger);
    EXPECT_EQ(refusal_of("r=rOprNGfwEbeRWgbNEkqOx,i=4096"),
              "the server broke the protocol: a SCRAM message without 's'");
    EXPECT_EQ(refusal_of("r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0"),
              "the server broke the protocol: a SCRAM message without a number of iterations");
}

TEST(Scram, refuses_more_rounds_than_its_limit) {
    EXPECT_EQ(
        refusal_of("r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=100001"),
        "the server wants 100001 iterations of SCRAM, more than scram_iterations_max = 100000");
    EXPECT_EQ(refusal_of("r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1"), "taken");
}

}  // namespace
}  // namespace gyre::db::postgres
