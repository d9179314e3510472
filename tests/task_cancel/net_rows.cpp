// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for sockets. Where it is cancelled, a program goes on in a
// shield and looks whether anything is lost.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "gyre/io/environment.hpp"
#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/internal/ip_text.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/net/standard.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;
using Step = std::function<Future<void>()>;

// Runs it; where it is cancelled, once more to its end, and then passes the cancellation on.
Future<void> insist(Step step) {
    std::exception_ptr cancelled;
    try {
        co_await step();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled == nullptr) co_return;
    co_await shield(step());
    std::rethrow_exception(cancelled);
}

// One end for the victim; at the other one a helper says this in two parts, then ends.
Future<net::Connection> spoken_to(Stage& stage, std::string text) {
    auto [near, far] = co_await net::connection_pair();
    auto& other = stage.make<net::Connection>(std::move(far));
    stage.helper([&other, text]() -> Future<void> {
        const ConstBytes all = bytes_of(text);
        co_await sleep(1ms);
        static_cast<void>(co_await try_(other.write(all.first(text.size() / 2))));
        co_await sleep(1ms);
        static_cast<void>(co_await try_(other.write(all.subspan(text.size() / 2))));
        other = net::Connection();
    });
    co_return std::move(near);
}

// One end for the victim; at the other one a helper counts what comes, slowly.
Future<net::Connection> listened_to(Stage& stage, std::size_t& count) {
    auto [near, far] = co_await net::connection_pair();
    auto& other = stage.make<net::Connection>(std::move(far));
    stage.helper([&other, &count]() -> Future<void> {
        std::array<std::byte, 50'000> buffer{};
        for (;;) {
            co_await sleep(1ms);
            const Result<std::size_t> size = co_await try_(other.read(buffer));
            if (size.value_or(0) == 0) break;
            count += *size;
        }
        other = net::Connection();
    });
    co_return std::move(near);
}

Future<void> reads_bytes(Stage& stage) {
    const net::Connection stream = co_await spoken_to(stage, "abcdef");
    std::string got;
    co_await insist([&]() -> Future<void> {
        std::array<std::byte, 2> buffer{};
        while (const std::size_t size = co_await stream.read(buffer)) {
            got += text_of(ConstBytes(buffer).first(size));
        }
    });
    EXPECT_EQ(got, "abcdef");
}

Future<void> accepts(Stage& stage) {
    const net::Listener listener = co_await net::listen(Address::loopback());
    const Address at = listener.local_address().value();
    stage.helper([at]() -> Future<void> {
        co_await sleep(1ms);
        static_cast<void>(co_await try_(net::connect(at)));
    });
    bool is_accepted = false;
    co_await insist([&]() -> Future<void> {
        static_cast<void>(co_await listener.accept());
        is_accepted = true;
    });
    EXPECT_TRUE(is_accepted);
}

// The port is free again while the second waits for it.
Future<void> listens_within(Stage& stage) {
    auto& first = stage.make<std::optional<net::Listener>>();
    first.emplace(co_await net::listen(Address::loopback()));
    const Address at = first->local_address().value();
    stage.helper([&first]() -> Future<void> {
        co_await sleep(30ms);
        first.reset();
    });
    const net::Listener second = co_await net::listen_within(1s, at);
    EXPECT_EQ(second.local_address().value(), at);
}

Future<void> connects(Stage& /*stage*/) {
    const net::Listener listener = co_await net::listen(Address::loopback());
    net::Connection near = co_await net::connect(listener.local_address().value());
    const net::Connection far = co_await listener.accept();
    co_await near.aclose();
}

Future<void> writes_bytes(Stage& stage) {
    static const std::string data(100'000, 'x');
    auto& came = stage.make<std::size_t>(0u);
    auto& rest = stage.make<ConstBytes>(bytes_of(data));
    stage.afterwards([&] { EXPECT_EQ(came + rest.size(), data.size()); });
    const net::Connection stream = co_await listened_to(stage, came);
    co_await stream.write_rest(rest);
}

Future<void> writes_some_bytes(Stage& stage) {
    static const std::string data(70'000, 'x');
    auto& came = stage.make<std::size_t>(0u);
    auto& went = stage.make<std::size_t>(0u);
    stage.afterwards([&] { EXPECT_EQ(came, went); });
    const net::Connection stream = co_await listened_to(stage, came);
    went += co_await stream.write_some(bytes_of(data));
    went += co_await stream.write_some(bytes_of(data));
}

Future<void> writes_pieces(Stage& stage) {
    static const std::string data(50'000, 'x');
    auto& came = stage.make<std::size_t>(0u);
    auto& pieces = stage.make<std::array<ConstBytes, 2>>();
    pieces = {bytes_of(data), bytes_of(data)};
    stage.afterwards(
        [&] { EXPECT_EQ(came + pieces[0].size() + pieces[1].size(), 2 * data.size()); });
    const net::Connection stream = co_await listened_to(stage, came);
    co_await stream.write_pieces(pieces);
}

Future<void> sends_a_file(Stage& stage) {
    static const std::string data(100'000, 'x');
    stage.platform.put_file("/file", data);
    const OpenDescriptor file(stage.platform,
                              stage.platform.file_tree()->open_to_read("/file").value());
    auto& came = stage.make<std::size_t>(0u);
    auto& before = stage.make<ConstBytes>(bytes_of("head"));
    auto& part = stage.make<net::FileSlice>(net::FileSlice{file.fd(), 0, data.size()});
    auto& wanted = stage.make<std::size_t>(4 + data.size());
    stage.afterwards([&] { EXPECT_EQ(came + before.size() + part.size_bytes, wanted); });
    net::Connection stream = co_await listened_to(stage, came);
    co_await stream.write_file_now(before, part);
    part = {file.fd(), 0, 70'000};
    wanted += part.size_bytes;
    co_await stream.write_file(before, part);
}

Future<void> reads_lines(Stage& stage) {
    net::Connection stream = co_await spoken_to(stage, "ab\ncd\nefghi");
    net::Reader reader(stream, {.buffer_bytes = 8, .line_size_max = 4});
    std::string got;
    co_await insist([&]() -> Future<void> {
        if (got.empty()) got = *co_await reader.read_line();
        if (got == "ab") got += text_of(*co_await reader.read_until("\n"));
        std::array<std::byte, 3> three{};
        if (got == "abcd\n") {
            co_await reader.read_exactly(three);
            got += text_of(three);
        }
        got += text_of(co_await reader.peek(2));
    });
    EXPECT_EQ(got, "abcd\nefghi");
}

Future<void> writes_with_a_buffer(Stage& stage) {
    static const std::string data(40'000, 'x');
    auto& came = stage.make<std::size_t>(0u);
    auto& taken = stage.make<std::size_t>(0u);
    stage.afterwards([&] { EXPECT_EQ(came, taken); });
    net::Connection stream = co_await listened_to(stage, came);
    net::Writer writer(stream, {.buffer_bytes = 50'000});
    co_await insist([&]() -> Future<void> {
        for (; taken < 4 * data.size(); taken += data.size()) co_await writer.write(data);
        co_await writer.uncork();
    });
}

Future<void> exchanges_datagrams(Stage& /*stage*/) {
    const net::Datagram server = co_await net::bind_datagram(Address::loopback());
    const net::Datagram client = co_await net::connect_datagram(server.local_address().value());
    const net::Datagram other = co_await net::open_datagram(Address::Family::ipv4);
    std::array<std::byte, 8> buffer{};
    co_await client.send(bytes_of("one"));
    net::Received got;
    co_await insist([&]() -> Future<void> { got = co_await server.receive_from(buffer); });
    EXPECT_EQ(got.size, 3u);
    co_await other.send_to(bytes_of("four"), server.local_address().value());
    got = co_await server.receive_from(buffer);
    EXPECT_EQ(got.size, 4u);
}

// Whatever way it goes, the descriptors that travel are taken or closed: the kit counts them.
Future<void> passes_descriptors(Stage& stage) {
    const net::Connection stream = co_await spoken_to(stage, "abcd");
    const auto [near, far] = co_await net::connection_pair();
    const std::array<Fd, 1> own{stream.fd()};
    static_cast<void>(co_await net::pass_descriptors(near, bytes_of("!"), own));
    std::array<std::byte, 4> buffer{};
    std::array<Fd, 1> passed{};
    const net::Passed got = co_await net::receive_descriptors(far, buffer, passed);
    EXPECT_EQ(got.count, 1u);
    const net::Connection second(stage.platform.environment()->sockets(), passed[0]);
    std::array<Fd, 1> numbers{};
    std::size_t size = 0;
    co_await insist([&]() -> Future<void> {
        while (size < 4) size += (co_await net::receive_descriptors(stream, buffer, numbers)).size;
    });
    EXPECT_EQ(size, 4u);
}

// Any descriptor is as good as the standard ones, which the simulation has not.
Future<void> uses_a_standard_stream(Stage& stage) {
    const net::Connection spoken = co_await spoken_to(stage, "abcd");
    net::StandardStream input(spoken.fd());
    std::array<std::byte, 4> buffer{};
    std::size_t got = 0;
    co_await insist([&]() -> Future<void> {
        while (const std::size_t size = co_await input.read(buffer)) got += size;
    });
    EXPECT_EQ(got, 4u);
    auto& came = stage.make<std::size_t>(0u);
    const net::Connection heard = co_await listened_to(stage, came);
    net::StandardStream output(heard.fd());
    std::array pieces{bytes_of("x"), bytes_of("y")};
    co_await output.write_pieces(pieces);
    co_await output.finish();
}

// One address is dead, one refuses, one answers.
Future<void> connects_to_any(Stage& /*stage*/) {
    net::Listener gone = co_await net::listen(Address::loopback());
    const net::Listener listener = co_await net::listen(Address::loopback());
    const std::vector<Address> all{Address::ipv4({192, 0, 2, 1}, 80), gone.local_address().value(),
                                   listener.local_address().value()};
    gone.close();
    const net::Connection stream = co_await net::connect_any(all, {.attempt_delay = 1ms});
    EXPECT_EQ(stream.peer_address().value(), all.back());
}

Future<void> connects_by_name(Stage& stage) {
    auto& resolver = stage.make<net::Resolver>(net::ResolverOptions{.hosts_path = "/dev/null"});
    const net::Listener listener = co_await net::listen(Address::loopback());
    const std::uint16_t port = listener.local_address().value().port();
    const net::Connection stream = co_await net::connect(resolver, "127.0.0.1", port);
    const auto nobody = co_await try_(resolver.resolve("nobody.test", 80));
    EXPECT_EQ(nobody.error(), Error(std::errc::host_unreachable));
}

// The addresses of one family are late, and dead.
Future<void> connects_as_a_table_says(Stage& stage) {
    const net::Listener listener = co_await net::listen(Address::loopback());
    const Address at = listener.local_address().value();
    net::NameTable::Answer answer;
    answer.addresses = {at};
    auto table = std::make_unique<net::NameTable>();
    table->set("here.test", Address::Family::ipv4, answer);
    answer.addresses = {*net::parse_ip("2001:db8::1", 0)};
    answer.delay = 1ms;
    table->set("here.test", Address::Family::ipv6, answer);
    auto& resolver = stage.make<net::Resolver>(std::move(table),
                                               net::ResolverOptions{.hosts_path = "/dev/null"});
    const net::Connection stream = co_await net::connect(resolver, "here.test", at.port());
    EXPECT_EQ(stream.peer_address().value(), at);
}

}  // namespace

std::vector<Program> net_rows() {
    return {
        {"reads_bytes", {"ReadSome", "ConnectionPair"}, reads_bytes},
        {"accepts", {"Accept", "Listen"}, accepts},
        {"listens_within", {"listen_within"}, listens_within},
        {"connects", {"Connect", "CloseConnection"}, connects},
        {"writes_bytes", {"WriteAll"}, writes_bytes},
        {"writes_some_bytes", {"WriteSome"}, writes_some_bytes},
        {"writes_pieces", {"WritePieces", "Connection"}, writes_pieces},
        {"sends_a_file", {"SendFile"}, sends_a_file},
        {"reads_lines", {"Reader"}, reads_lines},
        {"writes_with_a_buffer", {"Writer"}, writes_with_a_buffer},
        {"exchanges_datagrams", {"ReceiveFrom", "SendTo", "OpenDatagram"}, exchanges_datagrams},
        {"uses_a_standard_stream", {"StandardStream"}, uses_a_standard_stream},
        {"connects_to_any", {"connect_any"}, connects_to_any},
        {"connects_by_name", {"Resolver", "connect", "NameService"}, connects_by_name},
        {"connects_as_a_table_says", {"NameTable"}, connects_as_a_table_says},
        {"passes_descriptors", {"PassDescriptors", "ReceiveDescriptors"}, passes_descriptors},
    };
}

}  // namespace gyre::task_cancel
