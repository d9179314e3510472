// SPDX-License-Identifier: Apache-2.0
// The natives of gyre:actors, called without a script; letters between C++ and the actors of a script.
#include "lang/script/actors/internal/actor_office.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/script/world/native_world.test.hpp"

namespace gyre::script {
namespace {

using test::Given;
using test::MadeCall;
using test::Told;

constexpr double listener = 1;

// Takes letters of scripts.
class Bank : public actor::Actor<Bank> {
public:
    std::string handle(Letter letter) {
        last = letter.method + letter.arguments;
        if (letter.method == "rob") throw std::runtime_error("no");
        return "[42]";
    }
    static inline std::string last;
};

struct OfficeWorld : test::NativeWorld {
    ActorOffice office{script, app};

    OfficeWorld() { call<&ActorOffice::listen>({listener}); }
    ~OfficeWorld() { loop.close(); }  // The actors end before the office.

    template <void (ActorOffice::*method)(NativeCall&)>
    MadeCall call(std::vector<Given> arguments) {
        MadeCall made(std::move(arguments));
        (office.*method)(made);
        return made;
    }
    MadeCall spawn(double number, std::string name = "", std::string on_failure = "stop") {
        return call<&ActorOffice::spawn>({number, std::move(name), 16.0, "reject", "interleaved",
                                          std::move(on_failure), 5.0, 60000.0});
    }
    double send(double number, std::string arguments = "[]") {
        return call<&ActorOffice::send>({number, "add", std::move(arguments)})
            .given_number.value_or(-1);
    }
    Told next(double id) {
        settle();
        return take(id).value_or(Told{.id = -1, .number = -1, .text = {}});
    }
};

TEST(ActorOffice, passes_the_letters_of_cpp_to_the_script_and_its_answer_back) {
    OfficeWorld world;
    world.spawn(1, "counter");
    const auto counter = world.office.system().find<ScriptActor>("counter");
    ASSERT_TRUE(counter.has_value());
    std::string answer;
    const auto ask = [&]() -> Future<void> {
        const Letter letter{"add", "[3]"};
        answer = co_await counter->ask(letter);
    };
    static_cast<void>(world.app.root().spawn(ask));
    const Told letter = world.next(listener);
    EXPECT_EQ(letter.text, "1\nadd\n[3]");
    world.call<&ActorOffice::answer>({letter.number, 1.0, "7"});
    world.settle();
    EXPECT_EQ(answer, "7");
}

TEST(ActorOffice, passes_the_letters_of_the_script_to_cpp) {
    OfficeWorld world;
    world.office.open();
    world.office.give("bank",
                      std::make_shared<LetterBoxOf<Bank>>(world.office.system().spawn<Bank>()));
    const double bank = *world.call<&ActorOffice::find>({"bank"}).given_number;
    world.call<&ActorOffice::ask>({10.0, bank, "balance", "[1]", 0.0});
    const Told told = world.next(10);
    EXPECT_EQ(told.number, 0);
    EXPECT_EQ(told.text, "[42]");
    EXPECT_EQ(Bank::last, "balance[1]");
    world.call<&ActorOffice::ask>({11.0, bank, "rob", "[]", 0.0});
    EXPECT_EQ(world.next(11).number, 1);
    EXPECT_EQ(world.send(bank), 2);  // It has failed, and ended.
}

TEST(ActorOffice, tells_of_a_failure_a_restart_and_the_end) {
    OfficeWorld world;
    world.spawn(1, "", "restart");
    world.call<&ActorOffice::ask>({10.0, 1.0, "add", "[]", 0.0});
    const Told letter = world.next(listener);
    world.call<&ActorOffice::answer>({letter.number, 0.0, "RangeError", "too much"});
    EXPECT_EQ(world.next(listener).text, "restart\n1");
    const Told failed = world.next(10);
    EXPECT_EQ(failed.number, 1);
    EXPECT_EQ(failed.text, std::string("ERR_ACTOR_FAILED\0RangeError\0too much", 36));
    world.call<&ActorOffice::stop>({1.0, 0.0});
    EXPECT_EQ(world.next(listener).text, "end\n1");
    EXPECT_EQ(world.send(1), 2);
}

TEST(ActorOffice, forgets_the_letters_of_an_actor_that_was_stopped_now) {
    OfficeWorld world;
    world.spawn(1);
    world.call<&ActorOffice::ask>({10.0, 1.0, "add", "[]", 0.0});
    const Told letter = world.next(listener);
    world.call<&ActorOffice::stop>({1.0, 1.0});
    EXPECT_EQ(world.next(10).number, 1);
    world.call<&ActorOffice::answer>({letter.number, 1.0, "1"});  // Nobody waits for it.
    EXPECT_EQ(world.next(listener).text, "end\n1");
}

TEST(ActorOffice, counts_what_its_letters_weigh_until_they_are_handled) {
    OfficeWorld world;
    world.spawn(1);
    const std::string large(ActorOffice::waiting_bytes_max / 4, 'x');
    for (int i = 0; i < 3; ++i) EXPECT_EQ(world.send(1, large), 0);
    MadeCall refused({1.0, "add", large});
    world.office.send(refused);
    EXPECT_TRUE(refused.failure.starts_with("RangeError: Too many letters"));
    for (int i = 0; i < 3; ++i) {
        const Told letter = world.next(listener);
        world.call<&ActorOffice::answer>({letter.number, 1.0, "null"});
    }
    world.settle();
    EXPECT_EQ(world.send(1, large), 0);
}

TEST(ActorOffice, refuses_a_name_that_is_taken) {
    OfficeWorld world;
    EXPECT_EQ(world.spawn(1, "one").failure, "");
    EXPECT_EQ(world.spawn(2, "one").failure, "Error: an actor named 'one' is there already");
    EXPECT_EQ(world.send(2), 2);
    EXPECT_EQ(world.spawn(3, "two").failure, "");
}

}  // namespace
}  // namespace gyre::script
