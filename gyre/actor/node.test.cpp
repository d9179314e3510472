// SPDX-License-Identifier: Apache-2.0
// Messages to actors of another process, over a connection in memory.
#include "gyre/actor/node.hpp"

#include "gyre/actor/actor_world.test.hpp"

namespace gyre::actor {
namespace {

struct Put {
    int value;
};
struct Sum {};
struct Fail {};
struct Garbled {};
struct Local {
    int* where;
};

class Store : public Actor<Store> {
public:
    void handle(Put put) { sum_ += put.value; }
    Future<int> handle(Sum) {
        co_await sleep(1ms);
        co_return sum_;
    }
    void handle(Fail) { throw std::runtime_error("broken store"); }
    void handle(Garbled) {}
    void handle(Local local) { *local.where = 1; }

private:
    int sum_ = 0;
};

}  // namespace

template <>
struct Serial<int> {
    static constexpr const char* name = "int";
    static void write(int value, std::string& bytes) { bytes += std::to_string(value); }
    static Result<int> read(std::string_view bytes) {
        if (bytes.empty()) return std::unexpected(Error(std::errc::bad_message));
        return std::atoi(std::string(bytes).c_str());
    }
};
template <>
struct Serial<Put> {
    static constexpr const char* name = "Put";
    static void write(const Put& put, std::string& bytes) { Serial<int>::write(put.value, bytes); }
    static Result<Put> read(std::string_view bytes) {
        const Result<int> value = Serial<int>::read(bytes);
        if (!value) return std::unexpected(value.error());
        return Put{*value};
    }
};
template <>
struct Serial<Sum> {
    static constexpr const char* name = "Sum";
    static void write(const Sum& /*sum*/, std::string& /*bytes*/) {}
    static Result<Sum> read(std::string_view /*bytes*/) { return Sum{}; }
};
template <>
struct Serial<Fail> {
    static constexpr const char* name = "Fail";
    static void write(const Fail& /*fail*/, std::string& /*bytes*/) {}
    static Result<Fail> read(std::string_view /*bytes*/) { return Fail{}; }
};
// A message type whose bytes cannot be read back.
template <>
struct Serial<Garbled> {
    static constexpr const char* name = "Garbled";
    static void write(const Garbled& /*garbled*/, std::string& /*bytes*/) {}
    static Result<Garbled> read(std::string_view /*bytes*/) {
        return std::unexpected(Error(std::errc::bad_message));
    }
};

namespace {

TEST_F(Actors, are_reached_over_a_transport_as_if_they_were_here) {
    run([](System& system) -> Future<void> {
        const auto [near, far] = connect_in_memory();
        const auto store = system.spawn_with<Store>({.on_failure = OnFailure::resume});
        export_actor<Store, Put, Sum, Fail>(near, "store", store);
        const Ref<Store> remote = remote_ref<Store>(far, "store");
        EXPECT_TRUE(remote.send(Put{40}));
        co_await remote.post(Put{2});
        EXPECT_EQ(co_await remote.ask(Sum{}), 42);
        EXPECT_EQ(co_await remote.ask(Sum{}, 1s), 42);
        EXPECT_THROW(co_await remote.ask(Fail{}), ActorError);
        EXPECT_EQ(remote.name(), "store");
        remote.stop();
        co_await store.ended();
        EXPECT_EQ(remote.send(Put{1}).error().code(), actor_ended);
        EXPECT_THROW(static_cast<void>(co_await remote.ask(Sum{})), ActorError);
    });
}

TEST_F(Actors, refuse_over_a_transport_what_cannot_be_written_or_is_not_exported) {
    run([](System& system) -> Future<void> {
        const auto [near, far] = connect_in_memory();
        const auto store = system.spawn<Store>();
        export_actor<Store, Put>(near, "store", store);
        const Ref<Store> remote = remote_ref<Store>(far, "store");
        int where = 0;
        EXPECT_EQ(remote.send(Local{&where}).error().code(), not_serialisable);
        EXPECT_THROW(static_cast<void>(co_await remote.ask(Sum{})), ActorError);
        EXPECT_FALSE(remote_ref<Store>(far, "nobody").send(Put{1}));
        EXPECT_FALSE(near->receive({.actor = "store", .type = "Put"}));  // no bytes
    });
}

TEST_F(Actors, answer_a_question_over_a_transport_that_they_cannot_read) {
    run([](System& system) -> Future<void> {
        const auto [near, far] = connect_in_memory();
        const auto store = system.spawn<Store>();
        export_actor<Store, Garbled>(near, "store", store);
        const Ref<Store> remote = remote_ref<Store>(far, "store");
        try {
            co_await remote.ask(Garbled{});
            ADD_FAILURE() << "it was read";
        } catch (const ActorError& e) {
            EXPECT_STREQ(e.what(), "actor 'store' cannot read the message 'Garbled'");
        }
    });
}

// Exports an actor that is itself remote.
TEST_F(Actors, are_reached_over_two_transports) {
    run([](System& system) -> Future<void> {
        const auto [near, middle] = connect_in_memory();
        const auto [other_middle, far] = connect_in_memory();
        const auto store = system.spawn<Store>();
        export_actor<Store, Put, Sum>(near, "store", store);
        export_actor<Store, Put, Sum>(other_middle, "shop", remote_ref<Store>(middle, "store"));
        const Ref<Store> remote = remote_ref<Store>(far, "shop");
        EXPECT_TRUE(remote.send(Put{7}));
        EXPECT_EQ(co_await remote.ask(Sum{}), 7);
        remote.stop();
        co_await remote.ended();
        EXPECT_TRUE(store.is_ended());
    });
}

TEST_F(Actors, fail_the_questions_of_a_connection_that_ends) {
    run([](System& system) -> Future<void> {
        auto [near, far] = connect_in_memory();
        const auto store = system.spawn<Store>();
        export_actor<Store, Sum>(near, "store", store);
        const Ref<Store> remote = remote_ref<Store>(far, "store");
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                EXPECT_THROW(static_cast<void>(co_await remote.ask(Sum{})), NodeLost);
            });
            co_await yield();
            far->close();
        });
        near.reset();
        co_await sleep(5ms);  // The answer arrives without a waiter.
        EXPECT_EQ(remote.send(Put{1}).error().code(), std::errc::not_connected);
    });
}

}  // namespace
}  // namespace gyre::actor
