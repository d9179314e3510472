// SPDX-License-Identifier: Apache-2.0
// Names and random bytes as requests, as libuv's test-getaddrinfo.c, test-getnameinfo.c and
// test-random.c pin them. Each test names the one it restates.
#include "gyre/handle/host_requests.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvHostRequests);

// test-getaddrinfo.c: getaddrinfo_basic
// clause: L29
TEST_P(UvHostRequests, find_the_addresses_of_a_name) {
    std::vector<Address> addresses;
    AddressLookup lookup(loop);
    EXPECT_TRUE(lookup
                    .start({.host = "localhost", .service = "80", .family = Address::Family::ipv4},
                           [&](AddressLookup& done, Result<std::vector<Address>>& found) {
                               EXPECT_EQ(&done, &lookup);
                               EXPECT_FALSE(done.is_active());
                               addresses = std::move(found.value());
                           })
                    .get());
    EXPECT_TRUE(lookup.is_active());
    EXPECT_TRUE(addresses.empty());  // never inside the call
    ASSERT_EQ(loop.alive_reasons().size(), 1u);
    EXPECT_STREQ(loop.alive_reasons()[0].kind, "address_lookup");
    EXPECT_FALSE(loop.run());
    ASSERT_EQ(addresses.size(), 1u);
    EXPECT_EQ(addresses[0], Address::loopback(80));
}

TEST_P(UvHostRequests, find_the_address_to_listen_on) {
    std::vector<Address> addresses;
    AddressLookup lookup(loop);
    lookup.start({.service = "7", .family = Address::Family::ipv4, .is_for_listening = true},
                 [&](AddressLookup&, Result<std::vector<Address>>& found) {
                     addresses = std::move(found.value());
                 });
    loop.run();
    ASSERT_EQ(addresses.size(), 1u);
    EXPECT_EQ(addresses[0], Address::ipv4({}, 7));
}

std::errc error_of(PhasedLoop& loop, AddressQuery query) {
    std::errc code{};
    AddressLookup lookup(loop);
    EXPECT_TRUE(lookup
                    .start(std::move(query),
                           [&](AddressLookup&, Result<std::vector<Address>>& found) {
                               code = found.error().code();
                           })
                    .get());
    loop.run();
    return code;
}

// test-getaddrinfo.c: getaddrinfo_fail. A name with a space is nobody's, without a server asked.
TEST_P(UvHostRequests, say_why_a_name_has_no_address) {
    EXPECT_EQ(error_of(loop, {.host = "no host", .is_numeric = true}), std::errc::host_unreachable);
    EXPECT_EQ(error_of(loop, {}), std::errc::invalid_argument);
    EXPECT_EQ(error_of(loop, {.host = std::string("localhost\0.evil", 15)}),
              std::errc::invalid_argument);
    const std::string longest(HostCalls::name_size_max, 'x');
    EXPECT_EQ(error_of(loop, {.host = longest + "x"}), std::errc::filename_too_long);
    EXPECT_EQ(error_of(loop, {.host = longest, .is_numeric = true}), std::errc::host_unreachable);
    EXPECT_EQ(error_of(loop, {.service = longest + "x"}), std::errc::filename_too_long);
}

// test-getaddrinfo.c: getaddrinfo_concurrent
TEST_P(UvHostRequests, are_many_at_once) {
    constexpr int count = 10;
    std::vector<std::unique_ptr<AddressLookup>> lookups;
    int done = 0;
    for (int i = 0; i < count; ++i) {
        lookups.push_back(std::make_unique<AddressLookup>(loop));
        lookups.back()->start({.host = "localhost"},
                              [&](AddressLookup&, Result<std::vector<Address>>& found) {
                                  done += found.has_value() ? 1 : 0;
                              });
    }
    loop.run();
    EXPECT_EQ(done, count);
}

TEST_P(UvHostRequests, are_one_at_a_time_and_can_be_started_again) {
    int done = 0;
    AddressLookup lookup(loop);
    const auto count = [&](AddressLookup&, Result<std::vector<Address>>&) { ++done; };
    EXPECT_TRUE(lookup.start({.host = "localhost"}, count).get());
    EXPECT_EQ(lookup.start({.host = "localhost"}, count).get().error().code(),
              std::errc::invalid_argument);
    loop.run();
    EXPECT_TRUE(lookup.start({.host = "localhost"}, count).get());
    loop.run();
    EXPECT_EQ(done, 2);
}

TEST_P(UvHostRequests, may_be_freed_in_their_callback) {
    bool is_done = false;
    auto* lookup = new AddressLookup(loop);
    lookup->start({.host = "localhost"},
                  [&](AddressLookup& done, Result<std::vector<Address>>& found) {
                      delete &done;
                      is_done = found.has_value();
                  });
    loop.run();
    EXPECT_TRUE(is_done);
}

// test-getnameinfo.c: getnameinfo_basic_ip4
// clause: L29
TEST_P(UvHostRequests, find_the_name_of_an_address) {
    HostName name;
    NameLookup lookup(loop);
    EXPECT_TRUE(lookup
                    .start({.address = Address::loopback(1), .is_numeric = true},
                           [&](NameLookup&, Result<HostName>& found) { name = found.value(); })
                    .get());
    loop.run();
    EXPECT_EQ(name.host, "127.0.0.1");
    EXPECT_EQ(name.service, "1");
    lookup.start({.address = Address::loopback(1)},
                 [&](NameLookup&, Result<HostName>& found) { name = found.value(); });
    loop.run();
    EXPECT_EQ(name.host, "localhost");
}

// test-getnameinfo.c: getnameinfo_basic_ip6
TEST_P(UvHostRequests, find_the_name_of_an_ipv6_address) {
    HostName name;
    NameLookup lookup(loop);
    std::array<std::uint8_t, 16> one{};
    one.back() = 1;
    lookup.start({.address = Address::ipv6(one, 65535), .is_numeric = true},
                 [&](NameLookup&, Result<HostName>& found) { name = found.value(); });
    loop.run();
    EXPECT_EQ(name.host, "::1");
    EXPECT_EQ(name.service, "65535");
}

TEST_P(UvHostRequests, know_no_name_of_an_address_without_a_family) {
    std::errc code{};
    NameLookup lookup(loop);
    lookup.start({}, [&](NameLookup&, Result<HostName>& found) { code = found.error().code(); });
    loop.run();
    EXPECT_EQ(code, std::errc::address_family_not_supported);
}

// test-random.c: random_async
// clause: L29
TEST_P(UvHostRequests, fill_memory_with_random_bytes) {
    std::array<std::byte, 64> one{};
    std::array<std::byte, 64> other{};
    int done = 0;
    RandomFill fill(loop);
    EXPECT_TRUE(fill.start(one,
                           [&](RandomFill& filled, Result<Bytes>& bytes) {
                               EXPECT_EQ(bytes->data(), one.data());
                               EXPECT_EQ(bytes->size(), one.size());
                               ++done;
                               filled.start(other, [&](RandomFill&, Result<Bytes>&) { ++done; });
                           })
                    .get());
    loop.run();
    EXPECT_EQ(done, 2);
    // That 64 bytes are all zero, or twice the same, happens once in 2^512.
    EXPECT_TRUE(std::ranges::any_of(one, [](std::byte byte) { return byte != std::byte{0}; }));
    EXPECT_NE(one, other);
    RandomFill nothing(loop);
    nothing.start({}, [&](RandomFill&, Result<Bytes>& bytes) {
        EXPECT_TRUE(bytes->empty());
        ++done;
    });
    loop.run();
    EXPECT_EQ(done, 3);
}

GYRE_HANDLES_FOR_REAL(UvRealHostRequests);

// clause: L17
TEST_P(UvRealHostRequests, start_from_another_thread) {
    bool is_done = false;
    AddressLookup lookup(loop);
    Timer keeps_alive(loop);
    keeps_alive.start([](Timer&) {}, 1h);
    std::thread other([&] {
        EXPECT_TRUE(lookup
                        .start({.host = "localhost"},
                               [&](AddressLookup&, Result<std::vector<Address>>& found) {
                                   is_done = found.has_value();
                                   keeps_alive.close();
                               })
                        .get());
    });
    loop.run();
    other.join();
    EXPECT_TRUE(is_done);
}

// A loop without an Offload has nobody to ask.
TEST(UvHostRequestsAlone, are_refused_without_an_offload) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    PhasedLoop loop(platform);
    AddressLookup lookup(loop);
    const Status started = lookup
                               .start({.host = "localhost"},
                                      [](AddressLookup&, Result<std::vector<Address>>&) { FAIL(); })
                               .get();
    EXPECT_EQ(started.error().code(), std::errc::function_not_supported);
    EXPECT_FALSE(loop.is_alive());
    EXPECT_TRUE(loop.close().has_value());
}

}  // namespace
}  // namespace gyre::handle
