// SPDX-License-Identifier: Apache-2.0
// The spellings of docs/guide/compilers.md that work: each with texts too long for the small buffer
// of a std::string, so that a second destruction frees memory twice.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "gyre/actor/actor.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/process/process.hpp"
#include "gyre/task/async.hpp"
#include "gyre/task/core/task_world.test.hpp"
#if GYRE_HAS_HTTP
#    include "gyre/http/client.hpp"
#endif

namespace gyre {
namespace {

using namespace std::chrono_literals;

const std::string long_text(100, 'x');

struct Spellings : ::testing::Test, TaskWorld {};

std::string read_all(const std::string& path) {
    return path;
}
// [named]
Future<std::string> load(std::string path) {
    const auto read = [path] { return read_all(path); };
    co_return co_await blocking(read);
}
// [/named]

TEST_F(Spellings, a_lambda_with_a_name) {
    EXPECT_EQ(run(load, long_text), long_text);
}

TEST_F(Spellings, lambdas_that_capture_references) {
    run([]() -> Future<void> {
        std::string text = long_text;
        EXPECT_EQ(co_await blocking([&text] { return text + "!"; }), long_text + "!");
        EXPECT_EQ(co_await timeout(blocking([&text] { return text; }), 1s), long_text);
        const std::string inside =
            co_await with_scope([&text](Scope&) -> Future<std::string> { co_return text; });
        EXPECT_EQ(inside, long_text);
        const auto named = [text] { return text; };
        EXPECT_EQ(co_await blocking(named), long_text);
        auto held = [owner = std::make_unique<std::string>(text)] { return *owner; };
        EXPECT_EQ(co_await blocking(std::move(held)), long_text);
    });
}

TEST_F(Spellings, options_in_braces) {
    run([]() -> Future<void> {
        const std::string folder = "/" + long_text;
        co_await fs::make_folder(folder, {.mode = 0700});
        auto file = co_await timeout(fs::temporary_file({.folder = folder, .prefix = "a"}), 1s);
        EXPECT_TRUE(file.path().starts_with(folder));
        co_await fs::write_file(folder + "/b", long_text, {.mode = 0600});
        EXPECT_EQ(co_await try_(fs::read_file(folder + "/b", {.size_max_bytes = 1000})), long_text);
        const auto entries = co_await fs::walk(folder, {.depth_max = 3}).collect();
        EXPECT_EQ(entries.size(), 2u);
        const auto listener = co_await net::listen(Address::loopback(), {.backlog = 16});
        co_await file.aclose();
    });
}

TEST_F(Spellings, commands_and_requests_with_constructors) {
    run([]() -> Future<void> {
        // The simulator has no children and no names: what matters is that all ends once.
        EXPECT_THROW(
            (void)co_await timeout(process::run(process::Command(long_text, long_text)), 1s),
            std::exception);
        EXPECT_THROW((void)co_await process::run(process::Command("sh", "-c", long_text),
                                                 {.input = long_text}),
                     std::exception);
#if GYRE_HAS_HTTP
        http::Client client;
        const std::string url = "http://127.0.0.1:9/" + long_text;
        EXPECT_THROW(
            (void)co_await timeout(client.fetch("http://127.0.0.1:9/a-path-that-is-long"), 1s),
            std::exception);
        EXPECT_THROW((void)co_await client.fetch(url), std::exception);
        EXPECT_THROW((void)co_await client.fetch({"POST", url, long_text}), std::exception);
        EXPECT_THROW((void)co_await client.open(http::ClientRequest("PUT", url)), std::exception);
#endif
    });
}

struct Get {};
struct Put {
    std::string text;
};
class Store : public actor::Actor<Store> {
public:
    void handle(Put put) { text_ = std::move(put.text); }
    std::string handle(Get /*get*/) { return text_; }

private:
    std::string text_;
};

TEST_F(Spellings, messages) {
    run([]() -> Future<void> {
        co_await actor::with_actors([](actor::System& system) -> Future<void> {
            const actor::Ref<Store> store = system.spawn<Store>();
            const Put put{long_text};
            co_await store.post(put);
            EXPECT_EQ(co_await store.ask(Get{}), long_text);
            EXPECT_EQ(co_await timeout(store.ask(Get{}), 1s), long_text);
            EXPECT_EQ(co_await store.ask(Get{}, 1s), long_text);
        });
    });
}

TEST_F(Spellings, futures_in_combinators) {
    run([]() -> Future<void> {
        Channel<std::string> channel(2);
        co_await timeout(channel.send(long_text), 1s);
        co_await channel.send(std::string(long_text));
        auto [first, tick] = co_await select(channel.receive(), sleep(1s));
        EXPECT_EQ(*first.take(), long_text);
        const auto both = co_await all(
            channel.receive(), map(ready(long_text), [](std::string text) { return text + "!"; }));
        EXPECT_EQ(std::get<1>(both), long_text + "!");
        EXPECT_EQ(co_await race(ready(long_text), ready(std::string())), long_text);
    });
}

}  // namespace
}  // namespace gyre
