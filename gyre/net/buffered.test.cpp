// SPDX-License-Identifier: Apache-2.0
// Reader and Writer: results, limits, and the buffer after a cancelled call.
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

GYRE_NET_SUITE(Buffered);

// Returns a fixed text, a few bytes at a time, then the end.
class Script final : public ByteStream {
public:
    Script(std::string text, std::size_t step) : text_(std::move(text)), step_(step) {}
    Future<std::size_t> do_read(Bytes into) override {
        const std::size_t size = std::min({into.size(), step_, text_.size() - place_});
        std::copy_n(bytes_of(text_).begin() + static_cast<std::ptrdiff_t>(place_), size,
                    into.begin());
        place_ += size;
        ++calls_;
        co_return size;
    }
    Future<void> do_write_pieces(std::span<ConstBytes> pieces) override {
        ++calls_;
        for (ConstBytes& piece : pieces) {
            text_ += text_of(piece);
            piece = {};
        }
        co_return;
    }
    Future<void> do_finish() override { co_return; }

    [[nodiscard]] const std::string& written() const { return text_; }
    [[nodiscard]] int calls() const { return calls_; }

private:
    std::string text_;
    std::size_t step_;
    std::size_t place_ = 0;
    int calls_ = 0;
};

Future<std::string> thrown_by(Future<void> body) {
    try {
        co_await std::move(body);
    } catch (const std::system_error& e) {
        co_return e.what();
    }
    co_return "nothing";
}

Future<void> read_long_line(std::size_t size) {
    Script script(std::string(size, 'x') + "\r\n", 3);
    Reader reader(script, {.buffer_bytes = 16, .line_size_max = 10});
    EXPECT_EQ((co_await reader.read_line())->size(), size);
}

Future<void> read_to_a_mark(std::string all) {
    Script script(std::move(all), 3);
    Reader reader(script, {.buffer_bytes = 8, .line_size_max = 6});
    static_cast<void>(co_await reader.read_until("--"));
}

TEST_P(Buffered, lines_come_whole_however_the_bytes_come) {
    const std::string all = "one\r\ntwo\n\nfour without an end";
    for (std::size_t step = 1; step <= all.size(); ++step) {
        run([&]() -> Future<void> {
            Script script(all, step);
            Reader reader(script, {.buffer_bytes = 32, .line_size_max = 30});
            std::vector<std::string> lines;
            while (const auto line = co_await reader.read_line()) lines.emplace_back(*line);
            EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "", "four without an end"}));
            EXPECT_FALSE((co_await reader.read_line()).has_value());
        });
    }
}

TEST_P(Buffered, a_line_that_is_too_long_names_the_limit) {
    const auto read = [this](std::size_t size) {
        return run([size] { return thrown_by(read_long_line(size)); });
    };
    EXPECT_EQ(read(10), "nothing");
    EXPECT_EQ(read(11), "read_line: more than line_size_max = 10");
    EXPECT_EQ(read(100), "read_line: more than line_size_max = 10");
}

TEST_P(Buffered, a_mark_is_found_however_the_bytes_come) {
    const std::string all = "key--val-ue--";
    for (std::size_t step = 1; step <= all.size(); ++step) {
        run([&]() -> Future<void> {
            Script script(all, step);
            Reader reader(script, {.buffer_bytes = 8, .line_size_max = 6});
            EXPECT_EQ(text_of(*co_await reader.read_until("--")), "key--");
            EXPECT_EQ(text_of(*co_await reader.read_until("--")), "val-ue--");
            EXPECT_FALSE((co_await reader.read_until("--")).has_value());
        });
    }
}

TEST_P(Buffered, a_mark_that_does_not_come_is_an_error) {
    const auto read = [this](std::string all) {
        return run([&all] { return thrown_by(read_to_a_mark(all)); });
    };
    EXPECT_EQ(read("abc-"),
              "the stream ended inside of the text before a delimiter, after 4 bytes");
    EXPECT_EQ(read("abcdefghij--"), "read_until a delimiter: more than buffer_bytes = 8");
}

TEST_P(Buffered, exactly_what_is_asked_for_is_read) {
    const std::string all = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t step = 1; step <= all.size(); ++step) {
        run([&]() -> Future<void> {
            Script script(all, step);
            Reader reader(script, {.buffer_bytes = 8, .line_size_max = 6});
            std::array<std::byte, 5> five{};
            std::array<std::byte, 20> twenty{};
            co_await reader.read_exactly(five);
            EXPECT_EQ(text_of(five), "abcde");
            co_await reader.read_exactly(twenty);
            EXPECT_EQ(text_of(twenty), "fghijklmnopqrstuvwxy");
            const auto more = co_await try_(reader.read_exactly(five));
            EXPECT_EQ(more.error(), Error(std::errc::connection_aborted));
            EXPECT_EQ(text_of(co_await reader.peek()), "z");
        });
    }
}

TEST_P(Buffered, what_is_peeked_stays) {
    run([]() -> Future<void> {
        Script script("abcdefgh", 3);
        Reader reader(script, {.buffer_bytes = 4, .line_size_max = 2});
        EXPECT_EQ(text_of(co_await reader.peek(2)), "abc");
        reader.consume(2);
        EXPECT_EQ(text_of(co_await reader.peek(4)), "cdef");
        EXPECT_EQ(text_of(co_await reader.peek(1)), "cdef");
        const auto more = co_await try_(reader.peek(5));
        EXPECT_EQ(more.error(), Error(std::errc::value_too_large));
        reader.consume(4);
        EXPECT_EQ(text_of(co_await reader.peek(4)), "gh");
    });
}

TEST_P(Buffered, a_cancelled_read_keeps_what_has_come) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        Reader reader(near);
        co_await far.write(bytes_of("half a"));
        EXPECT_FALSE(co_await try_(timeout(reader.read_line(), 1ms)));
        std::array<std::byte, 9> nine{};
        EXPECT_FALSE(co_await try_(timeout(reader.read_exactly(nine), 1ms)));
        EXPECT_FALSE(co_await try_(timeout(reader.read_until(";"), 1ms)));
        co_await far.write(bytes_of(" line\n"));
        EXPECT_EQ(*co_await reader.read_line(), "half a line");
    });
}

TEST_P(Buffered, small_writes_go_out_together) {
    run([]() -> Future<void> {
        Script script("", 1);
        Writer writer(script, {.buffer_bytes = 8});
        co_await writer.write("ab");
        co_await writer.write("cd");
        EXPECT_EQ(script.written(), "");
        EXPECT_EQ(writer.buffered_size(), 4u);
        co_await writer.write("efgh");
        EXPECT_EQ(script.calls(), 0);
        co_await writer.write("i");
        EXPECT_EQ(script.written(), "abcdefgh");
        co_await writer.write("a longer one");
        EXPECT_EQ(script.written(), "abcdefghia longer one");
        EXPECT_EQ(script.calls(), 2);
        co_await writer.flush();
        co_await writer.flush();
        EXPECT_EQ(script.calls(), 2);
    });
}

TEST_P(Buffered, an_uncorked_writer_sends_each_write) {
    run([]() -> Future<void> {
        Script script("", 1);
        Writer writer(script, {.buffer_bytes = 8, .is_corked = false});
        co_await writer.write("ab");
        EXPECT_EQ(script.written(), "ab");
        writer.cork();
        co_await writer.write("cd");
        co_await writer.write("ef");
        EXPECT_EQ(script.written(), "ab");
        co_await writer.uncork();
        EXPECT_EQ(script.written(), "abcdef");
        EXPECT_EQ(script.calls(), 2);
        EXPECT_TRUE(writer.try_write(bytes_of("12345678")));
        EXPECT_FALSE(writer.try_write(bytes_of("9")));
    });
}

// The peers never read, and their writers never stop.
TEST_P(Buffered, slow_readers_hold_no_more_than_a_buffer_each) {
    // clause: K14
    static constexpr std::size_t buffer_bytes = 4096;
    static constexpr std::size_t held_by_the_system_max = std::size_t{1} << 20u;
    struct Peer {
        Connection near;
        Connection far;
        std::size_t taken = 0;
        Writer writer{near, {.buffer_bytes = buffer_bytes}};
    };
    run([]() -> Future<void> {
        std::vector<std::unique_ptr<Peer>> peers;
        const std::string line(100, 'x');
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 50; ++i) {
                auto [near, far] = co_await connection_pair();
                peers.push_back(std::make_unique<Peer>(std::move(near), std::move(far)));
                scope.spawn([peer = peers.back().get(), &line]() -> Future<void> {
                    for (;;) {
                        co_await peer->writer.write(line);
                        peer->taken += line.size();
                    }
                });
            }
            co_await sleep(5ms);
            scope.cancel("enough");
        });
        for (const auto& peer : peers) {
            EXPECT_GT(peer->taken, 0u);
            EXPECT_LE(peer->writer.buffered_size(), buffer_bytes);
            EXPECT_LE(peer->taken, buffer_bytes + held_by_the_system_max);
        }
    });
}

// A slow peer makes the writer hold no more than its buffer; a cancelled flush can be continued.
TEST_P(Buffered, a_cancelled_flush_sends_nothing_twice) {
    // clause: K14
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        EXPECT_TRUE(near.set_send_buffer(4096));
        Writer writer(near, {.buffer_bytes = std::size_t{1} << 20u});
        std::string all;
        for (int i = 0; all.size() < 900'000; ++i) all += std::to_string(i) + ",";
        co_await writer.write(all);
        const auto late = co_await try_(timeout(writer.flush(), 2ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        EXPECT_GT(writer.buffered_size(), 0u);
        EXPECT_LT(writer.buffered_size(), all.size());
        std::string got;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await writer.flush();
                co_await near.finish();
            });
            std::vector<std::byte> buffer(65536);
            while (const std::size_t size = co_await far.read(buffer)) {
                got += text_of(ConstBytes(buffer).first(size));
            }
        });
        EXPECT_EQ(got, all);
    });
}

}  // namespace
}  // namespace gyre::net
