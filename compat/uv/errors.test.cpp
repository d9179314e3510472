// SPDX-License-Identifier: Apache-2.0
// Versions, errors, memory, and texts: what needs no loop.
#include <cerrno>
#include <cstring>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

TEST(UvVersion, is_the_one_whose_functions_are_there) {
    EXPECT_EQ(uv_version(), version_hex);
    EXPECT_STREQ(uv_version_string(), "1.52.1");
}

TEST(UvErrors, have_a_name_and_a_message) {
    EXPECT_STREQ(uv_err_name(UV_ENOENT), "ENOENT");
    EXPECT_STREQ(uv_strerror(UV_ENOENT), "no such file or directory");
    EXPECT_STREQ(uv_err_name(UV_EOF), "EOF");
    EXPECT_STREQ(uv_err_name(-EUNATCH), "EUNATCH");
    char text[64];
    EXPECT_STREQ(uv_err_name_r(UV_ECANCELED, text, sizeof text), "ECANCELED");
    EXPECT_STREQ(uv_strerror_r(UV_ECANCELED, text, sizeof text), "operation canceled");
    EXPECT_STREQ(uv_err_name_r(UV_ECANCELED, text, 4), "ECA");
}

TEST(UvErrors, that_are_none_are_told_by_their_number) {
    const char* message = uv_strerror(1337);
    EXPECT_STREQ(uv_err_name(-4999), "Unknown system error -4999");
    EXPECT_STREQ(message, "Unknown system error 1337");
    char text[64];
    EXPECT_STREQ(uv_strerror_r(1337, text, sizeof text), "Unknown system error 1337");
}

TEST(UvErrors, of_the_system_are_negated_once) {
    EXPECT_EQ(uv_translate_sys_error(EPERM), UV_EPERM);
    EXPECT_EQ(uv_translate_sys_error(UV_EPERM), UV_EPERM);
    EXPECT_EQ(uv_translate_sys_error(0), 0);
}

TEST(UvBuffer, is_a_pointer_and_a_size) {
    char text[3];
    const uv_buf_t buffer = uv_buf_init(text, sizeof text);
    EXPECT_EQ(buffer.base, text);
    EXPECT_EQ(buffer.len, 3u);
}

int allocations = 0;

TEST(UvMemory, comes_from_the_allocator_that_was_set) {
    EXPECT_EQ(uv_replace_allocator(nullptr, std::realloc, std::calloc, std::free), UV_EINVAL);
    const auto count_and_allocate = [](std::size_t size) {
        ++allocations;
        return std::malloc(size);
    };
    ASSERT_EQ(uv_replace_allocator(count_and_allocate, std::realloc, std::calloc, std::free), 0);
    uv_passwd_t user{};
    ASSERT_EQ(uv_os_get_passwd(&user), 0);
    EXPECT_EQ(allocations, 1);
    uv_os_free_passwd(&user);
    EXPECT_EQ(uv_replace_allocator(std::malloc, std::realloc, std::calloc, std::free), 0);
}

TEST(UvAddresses, are_read_and_written) {
    sockaddr_in four{};
    EXPECT_EQ(uv_ip4_addr("127.0.0.1", 80, &four), 0);
    EXPECT_EQ(four.sin_family, AF_INET);
    EXPECT_EQ(four.sin_port, htons(80));
    EXPECT_EQ(uv_ip4_addr("255.255.255", 80, &four), UV_EINVAL);
    EXPECT_EQ(uv_ip4_addr("127.0.0.1", 80, &four), 0);
    sockaddr_in6 six{};
    EXPECT_EQ(uv_ip6_addr("fe80::1%lo", 443, &six), 0);
    EXPECT_EQ(six.sin6_scope_id, 1u);
    EXPECT_EQ(uv_ip6_addr("fe80::x", 443, &six), UV_EINVAL);
    EXPECT_EQ(uv_ip6_addr("::1", 443, &six), 0);
    char text[64];
    EXPECT_EQ(uv_ip4_name(&four, text, sizeof text), 0);
    EXPECT_STREQ(text, "127.0.0.1");
    EXPECT_EQ(uv_ip6_name(&six, text, sizeof text), 0);
    EXPECT_STREQ(text, "::1");
    EXPECT_EQ(uv_ip_name(reinterpret_cast<sockaddr*>(&six), text, sizeof text), 0);
    EXPECT_STREQ(text, "::1");
    EXPECT_EQ(uv_ip4_name(&four, text, 4), UV_ENOSPC);
    sockaddr other{};
    EXPECT_EQ(uv_ip_name(&other, text, sizeof text), UV_EAFNOSUPPORT);
}

TEST(UvAddresses, of_an_unknown_family_are_refused) {
    unsigned char bytes[16] = {127, 0, 0, 1};
    char text[64];
    EXPECT_EQ(uv_inet_ntop(AF_INET, bytes, text, sizeof text), 0);
    EXPECT_STREQ(text, "127.0.0.1");
    EXPECT_EQ(uv_inet_ntop(AF_UNIX, bytes, text, sizeof text), UV_EAFNOSUPPORT);
    EXPECT_EQ(uv_inet_pton(AF_INET6, "::2%7", bytes), 0);
    EXPECT_EQ(bytes[15], 2);
    EXPECT_EQ(uv_inet_pton(AF_UNIX, "::2", bytes), UV_EAFNOSUPPORT);
    EXPECT_EQ(uv_inet_pton(AF_INET, nullptr, bytes), UV_EINVAL);
}

TEST(UvInterfaces, have_numbers_and_names) {
    char name[64];
    std::size_t size = sizeof name;
    ASSERT_EQ(uv_if_indextoname(1, name, &size), 0);
    EXPECT_EQ(size, std::strlen(name));
    size = 1;
    EXPECT_EQ(uv_if_indextoname(1, name, &size), UV_ENOBUFS);
    EXPECT_EQ(size, std::strlen("lo") + 1);
    EXPECT_EQ(uv_if_indextoiid(1, name, &size), 0);
    size = sizeof name;
    EXPECT_EQ(uv_if_indextoname(99999, name, &size), UV_ENXIO);
    EXPECT_EQ(uv_if_indextoname(1, nullptr, &size), UV_EINVAL);
    uv_interface_address_t* all = nullptr;
    int count = 0;
    ASSERT_EQ(uv_interface_addresses(&all, &count), 0);
    ASSERT_GT(count, 0);
    bool has_loopback = false;
    for (int i = 0; i < count; ++i) has_loopback = has_loopback || all[i].is_internal != 0;
    EXPECT_TRUE(has_loopback);
    uv_free_interface_addresses(all, count);
}

TEST(UvWtf8, writes_single_surrogates_and_reads_them_back) {
    const std::uint16_t text[] = {'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, 0xD800, 'z', 0};
    EXPECT_EQ(uv_utf16_length_as_wtf8(text, -1), 1u + 2 + 3 + 4 + 3 + 1);
    char* made = nullptr;
    std::size_t length = 0;
    ASSERT_EQ(uv_utf16_to_wtf8(text, -1, &made, &length), 0);
    EXPECT_EQ(std::string(made), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\x80z");
    ASSERT_EQ(uv_wtf8_length_as_utf16(made), 8);
    std::uint16_t back[8] = {};
    uv_wtf8_to_utf16(made, back, 8);
    EXPECT_EQ(std::memcmp(back, text, sizeof text), 0);
    std::free(made);
    char small[4];
    char* place = small;
    length = 3;
    EXPECT_EQ(uv_utf16_to_wtf8(text, -1, &place, &length), UV_ENOBUFS);
    EXPECT_EQ(uv_wtf8_length_as_utf16("\xFF"), -1);
}

}  // namespace
}  // namespace gyre::uv::test
