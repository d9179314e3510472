// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the resolver against a DNS server that lies, on loopback. The first byte says what of
// a true reply is kept, so that c-ares accepts more than noise: 1 the id, 2 the question, 4 the flags
// of a reply without an error, 8 answers over TCP too (the reply over UDP is truncated). The rest is
// the reply.
//
// Each query ends with addresses (at most address_count_max, of the family and port asked for) or
// with a NameError.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/test_world.hpp"

using namespace gyre;
using namespace gyre::net;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t head_bytes = 12;

// The reply to a query: the input, with the parts of a true one that `kept` names.
std::vector<std::byte> lie(ConstBytes query, unsigned kept, ConstBytes text, bool is_tcp) {
    std::vector<std::byte> reply(text.begin(), text.end());
    if (reply.size() < head_bytes) reply.resize(head_bytes);
    if ((kept & 1u) != 0) std::memcpy(reply.data(), query.data(), 2);
    if ((kept & 4u) != 0) {
        reply[2] = std::byte{0x84};
        reply[3] = std::byte{0x80};
    }
    if ((kept & 8u) != 0 && !is_tcp) reply[2] = reply[2] | std::byte{2};
    if ((kept & 2u) != 0) {
        // One question, as it was asked; c-ares adds an option record behind it.
        std::size_t end = head_bytes;
        while (end < query.size() && query[end] != std::byte{0}) {
            end += static_cast<std::size_t>(query[end]) + 1;
        }
        end = std::min(end + 5, query.size());
        reply[4] = std::byte{0};
        reply[5] = std::byte{1};
        const auto asked = query.subspan(head_bytes, end - head_bytes);
        reply.insert(reply.begin() + head_bytes, asked.begin(), asked.end());
    }
    return reply;
}

class LyingServer {
public:
    LyingServer(unsigned kept, ConstBytes text) : kept_(kept), text_(text) {}

    Future<Address> start(Scope& scope) {
        for (;;) {
            listener_ = co_await listen(Address::loopback());
            const Address at = listener_.local_address().value();
            auto socket = co_await try_(bind_datagram(at));
            if (!socket) continue;
            socket_ = std::move(*socket);
            scope.spawn([this] { return serve_datagrams(); });
            scope.spawn([this] { return serve_streams(); });
            co_return at;
        }
    }

private:
    Future<void> serve_datagrams() {
        std::array<std::byte, 1500> buffer{};
        for (;;) {
            const Received got = co_await socket_.receive_from(buffer);
            if (got.size < head_bytes) continue;
            const auto reply = lie(ConstBytes(buffer).first(got.size), kept_, text_, false);
            static_cast<void>(co_await try_(socket_.send_to(reply, got.from)));
        }
    }
    Future<void> serve_streams() {
        for (;;) {
            Connection stream = co_await listener_.accept();
            std::array<std::byte, 1500> buffer{};
            const auto size = co_await try_(stream.read(buffer));
            if (!size || *size < head_bytes + 2) continue;
            auto reply = lie(ConstBytes(buffer).subspan(2, *size - 2), kept_, text_, true);
            const std::size_t told = reply.size();
            reply.insert(reply.begin(),
                         {static_cast<std::byte>(told / 256), static_cast<std::byte>(told % 256)});
            static_cast<void>(co_await try_(stream.write(reply)));
        }
    }

    const unsigned kept_;
    const ConstBytes text_;
    Listener listener_;
    Datagram socket_;
};

Future<void> ask(Address at) {
    ResolverOptions options;
    options.servers = {at};
    options.hosts_path = "/dev/null";
    options.try_timeout = 3ms;
    options.try_count = 1;
    options.address_count_max = 4;
    Resolver resolver(options);
    try {
        const auto found = co_await resolver.resolve("some.test", 80, Address::Family::ipv4);
        GYRE_ASSERT(!found.empty() && found.size() <= 4, "%zu addresses", found.size());
        for (const Address& each : found) {
            GYRE_ASSERT(each.family() == Address::Family::ipv4, "an address of another family");
            GYRE_ASSERT(each.port() == 80, "an address with another port");
        }
    } catch (const NameError&) {
        co_return;
    }
}

// Not in the function below: g++ 12 gives coroutines in extern "C" functions one name for all.
void ask_a_liar(unsigned kept, ConstBytes text) {
    // One loop for all inputs: a real platform takes longer than a query.
    static auto world = std::make_unique<test::TestWorld<Executor, test::NamedPlatform>>(
        test::NamedPlatformOptions{.name = "epoll", .thread_count = 0});
    world->run([&]() -> Future<void> {
        LyingServer server(kept, text);
        auto body = [&](Scope& scope) -> Future<void> {
            const Address at = co_await server.start(scope);
            co_await ask(at);
            scope.cancel("the query is over");
        };
        co_await with_scope(std::move(body));
    });
    GYRE_ASSERT(world->app.task_count() == 0, "tasks are left");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    if (size_bytes == 0 || size_bytes > 1200) return -1;
    ask_a_liar(data[0], std::as_bytes(std::span(data, size_bytes)).subspan(1));
    return 0;
}
