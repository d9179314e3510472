// SPDX-License-Identifier: Apache-2.0
// What the tests of the library share: they see it as a program does, through uv.h.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv::test {

// A loop of its own for each test, which must be empty at the end.
class UvLoop : public testing::Test {
protected:
    UvLoop() { EXPECT_EQ(uv_loop_init(&loop), 0); }
    ~UvLoop() override { EXPECT_EQ(uv_loop_close(&loop), 0) << "a handle was not closed"; }
    int run(uv_run_mode mode = UV_RUN_DEFAULT) { return uv_run(&loop, mode); }
    template <class Uv>
    void close(Uv& handle) {
        uv_close(reinterpret_cast<uv_handle_t*>(&handle), nullptr);
    }
    template <class Uv>
    static uv_handle_t* base(Uv& handle) {
        return reinterpret_cast<uv_handle_t*>(&handle);
    }

    uv_loop_t loop{};
};

// A folder that is removed with what is in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        char pattern[] = "/tmp/gyre-uv-XXXXXX";
        path_ = ::mkdtemp(pattern);
    }
    ~TemporaryFolder() { (void)!std::system(("rm -rf " + path_).c_str()); }
    [[nodiscard]] std::string operator/(const char* name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

inline sockaddr_in loopback(int port) {
    sockaddr_in address{};
    EXPECT_EQ(uv_ip4_addr("127.0.0.1", port, &address), 0);
    return address;
}
inline const sockaddr* address_of(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace gyre::uv::test
