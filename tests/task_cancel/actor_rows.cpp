// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for what is awaited of actors: an answer, room in a mailbox,
// an end, and a whole system.
#include <gtest/gtest.h>

#include "gyre/actor/actor.hpp"
#include "gyre/actor/node.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;
using actor::Actor;
using actor::Ref;
using actor::System;

struct Add {
    int amount;
};
struct Get {};

class Counter : public Actor<Counter> {
public:
    explicit Counter(int* total) : total_(total) {}
    Future<void> handle(Add add) {
        co_await sleep(1ms);
        *total_ += add.amount;
    }
    int handle(Get) { return *total_; }

private:
    int* total_;
};

// The victim is who asks, not who owns the actors: they are not to notice.
Future<void> asks_an_actor(Stage& stage) {
    int& total = stage.make<int>(0);
    auto& ref = stage.make<Ref<Counter>>();
    auto& is_over = stage.make<bool>(false);
    stage.afterwards([&] {
        EXPECT_TRUE(ref.is_ended());
        ref = Ref<Counter>();
    });
    stage.helper([&]() -> Future<void> {
        co_await actor::with_actors([&](System& system) -> Future<void> {
            ref = system.spawn_with<Counter>(
                {.order = actor::Order::exclusive, .mailbox = {.capacity = 1}}, &total);
            while (!is_over) co_await sleep(1ms);
        });
    });
    const auto finish = [](bool* over) { *over = true; };
    const std::unique_ptr<bool, decltype(finish)> finishing(&is_over, finish);
    co_await sleep(1ms);
    co_await ref.post(Add{1});
    co_await ref.post(Add{2});
    co_await ref.post(Add{4});
    co_await sleep(10ms);
    EXPECT_EQ(co_await ref.ask(Get{}), 7);
    ref.stop();
    co_await ref.ended();
}

// All of it: the actors end with the body, whatever becomes of that.
Future<void> owns_actors(Stage& stage) {
    int& total = stage.make<int>(0);
    co_await actor::with_actors([&](System& system) -> Future<void> {
        const auto counter = system.spawn<Counter>(&total);
        counter.send(Add{1});
        co_await counter.ask(Add{2});
        counter.send(Add{3});
    });
    EXPECT_EQ(total, 6);
}

// Who gives up leaves nothing at either end of the connection.
Future<void> awaits_an_end_elsewhere(Stage& stage) {
    int& total = stage.make<int>(0);
    auto& ref = stage.make<Ref<Counter>>();
    auto& is_over = stage.make<bool>(false);
    auto& ends = stage.make<decltype(actor::connect_in_memory())>(actor::connect_in_memory());
    stage.afterwards([&] {
        ref = Ref<Counter>();
        ends = {};
    });
    stage.helper([&]() -> Future<void> {
        co_await actor::with_actors([&](System& system) -> Future<void> {
            ref = system.spawn<Counter>(&total);
            actor::export_actor<Counter>(ends.first, "counter", ref);
            co_await sleep(5ms);
            ref.stop();
            while (!is_over) co_await sleep(1ms);
        });
    });
    const auto finish = [&ends](bool* over) {
        EXPECT_EQ(ends.first->link_count() + ends.second->link_count(), 0u);
        *over = true;
    };
    const std::unique_ptr<bool, decltype(finish)> finishing(&is_over, finish);
    co_await sleep(1ms);
    const Ref<Counter> far = actor::remote_ref<Counter>(ends.second, "counter");
    co_await far.ended();
    EXPECT_TRUE(ref.is_ended());
    co_await far.ended();
}

}  // namespace

std::vector<Program> actor_rows() {
    return {
        {"asks_an_actor", {"Ref"}, asks_an_actor},
        {"awaits_an_end_elsewhere", {"Ref"}, awaits_an_end_elsewhere},
        {"owns_actors", {"with_actors", "Ref"}, owns_actors},
    };
}

}  // namespace gyre::task_cancel
