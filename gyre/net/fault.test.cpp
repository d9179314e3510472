// SPDX-License-Identifier: Apache-2.0
// Sockets under failing system calls: each operation returns its result or the injected error, and
// no descriptor leaks. tests/fault runs this under strace, which injects errors; GYRE_FAULT names
// the error. Without it, nothing may fail.
#include <fcntl.h>

#include <array>
#include <cstring>
#include <utility>

#include "gyre/io/environment.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::net {
namespace {

class NetUnderFault : public NetWorld {
protected:
    // A failure must be the injected one.
    template <class T>
    bool note(const Result<T>& result) {
        if (result) return true;
        ++failed_count;
        EXPECT_EQ(static_cast<int>(result.error().code()), expected_error())
            << result.error().message();
        return false;
    }
    static const char* fault() {
        const char* name = std::getenv("GYRE_FAULT");
        return name == nullptr ? "" : name;
    }
    // 0: no failure is expected.
    static int expected_error() {
        for (const auto& [name, number] :
             {std::pair{"ENOMEM", ENOMEM}, std::pair{"EMFILE", EMFILE}, std::pair{"ENFILE", ENFILE},
              std::pair{"ENOBUFS", ENOBUFS}, std::pair{"ENOSPC", ENOSPC}, std::pair{"EIO", EIO}}) {
            if (std::strcmp(name, fault()) == 0) return number;
        }
        return 0;
    }

    // A client and a server that exchange a few bytes, as far as the system lets them.
    Future<void> meet(Address at) {
        Result<Listener> listener = co_await try_(listen(at));
        if (!note(listener)) co_return;
        const Result<Address> place = listener->local_address();
        if (!note(place)) co_return;
        Result<Connection> client = co_await try_(net::connect(*place));
        if (!note(client)) co_return;
        Result<Connection> server = co_await try_(listener->accept());
        if (!note(server)) co_return;
        std::array<std::byte, 16> buffer{};
        const Result<void> sent = co_await try_(client->write(bytes_of("hello")));
        if (!note(sent)) co_return;
        const Result<std::size_t> size = co_await try_(server->read(buffer));
        if (!note(size)) co_return;
        EXPECT_EQ(*size, 5u);
        ++done_count;
    }
    Future<void> exchange_datagrams() {
        Result<Datagram> near = co_await try_(bind_datagram(Address::loopback()));
        if (!note(near)) co_return;
        Result<Datagram> far = co_await try_(bind_datagram(Address::loopback()));
        if (!note(far)) co_return;
        const Result<Address> place = far->local_address();
        if (!note(place)) co_return;
        const Result<void> sent = co_await try_(near->send_to(bytes_of("hello"), *place));
        if (!note(sent)) co_return;
        std::array<std::byte, 16> buffer{};
        const Result<Received> got = co_await try_(far->receive_from(buffer));
        if (!note(got)) co_return;
        EXPECT_EQ(got->size, 5u);
        ++done_count;
    }
    Future<void> pass_one() {
        Result<std::pair<Connection, Connection>> pair = co_await try_(connection_pair());
        if (!note(pair)) co_return;
        const std::array<Fd, 1> own{pair->first.fd()};
        const auto sent = co_await try_(pass_descriptors(pair->first, bytes_of("x"), own));
        if (!note(sent)) co_return;
        std::array<std::byte, 16> buffer{};
        std::array<Fd, 1> numbers{-1};
        const auto got = co_await try_(receive_descriptors(pair->second, buffer, numbers));
        if (!note(got)) co_return;
        EXPECT_EQ(got->count, 1u);
        const Connection passed(loop().platform().environment()->sockets(), numbers[0]);
        ++done_count;
    }

    Future<void> send_one_file() {
        Result<std::pair<Connection, Connection>> pair = co_await try_(connection_pair());
        if (!note(pair)) co_return;
        const Connection file(loop().platform().environment()->sockets(),
                              ::open("/proc/self/exe", O_RDONLY));
        ConstBytes before;
        FileSlice part{.file = file.fd(), .offset = 0, .size_bytes = 10};
        const auto sent = co_await try_(pair->first.write_file_now(before, part));
        if (!note(sent)) co_return;
        EXPECT_EQ(part.size_bytes, 0u);
        ++done_count;
    }

    int failed_count = 0;
    int done_count = 0;
};
GYRE_ON_PLATFORMS(NetUnderFault, gyre::test::real_platforms);

TEST_P(NetUnderFault, every_operation_gives_its_result_or_the_error_and_leaves_nothing) {
    const int before = descriptor_count();
    run([this]() -> Future<void> {
        for (int i = 0; i < 20; ++i) {
            co_await meet(Address::loopback());
            co_await meet(unix_address("fault-" + std::to_string(i)));
            co_await exchange_datagrams();
            co_await pass_one();
            co_await send_one_file();
        }
    });
    EXPECT_EQ(descriptor_count(), before);
    EXPECT_EQ(failed_count > 0, expected_error() != 0) << "calls that were to fail: " << fault();
    EXPECT_GT(done_count, 0);
}

// A failed close is reported but never repeated: the number may be reused by another thread. strace
// skips the call it makes fail, so these descriptors stay open.
TEST_P(NetUnderFault, a_close_is_made_once_and_says_what_came_of_it) {
    const int before = descriptor_count();
    run([this]() -> Future<void> {
        for (int i = 0; i < 40; ++i) {
            auto [near, far] = co_await connection_pair();
            const Result<void> first = co_await try_(near.aclose());
            const Result<void> second = co_await try_(far.aclose());
            note(first);
            note(second);
            EXPECT_FALSE(near.is_open());
            EXPECT_FALSE(far.is_open());
        }
    });
    const int left = descriptor_count() - before;
    if (std::strcmp(fault(), "EINTR") == 0) {
        EXPECT_EQ(failed_count, 0);
        EXPECT_GT(left, 0);
    } else {
        EXPECT_EQ(left, failed_count);
        EXPECT_EQ(failed_count > 0, expected_error() != 0);
    }
}

}  // namespace
}  // namespace gyre::net
