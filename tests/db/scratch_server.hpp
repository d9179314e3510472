// SPDX-License-Identifier: Apache-2.0
// ScratchServer: one PostgreSQL server for all tests of the program, in a folder of its own; without
// PostgreSQL the tests are skipped, or fail where GYRE_REQUIRE_POSTGRES is set. One thread.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace gyre::test {

class ScratchServer {
public:
    static ScratchServer& instance() {
        static ScratchServer server;
        return server;
    }
    ScratchServer(const ScratchServer&) = delete;
    ScratchServer& operator=(const ScratchServer&) = delete;
    ~ScratchServer() { static_cast<void>(call("remove")); }

    [[nodiscard]] bool is_there() const noexcept { return is_there_; }
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
    [[nodiscard]] std::string url(const std::string& login = "postgres") const {
        return "postgres://" + login + "@/postgres?host=" + folder_;
    }
    // "start", "stop", "kill": see the script.
    [[nodiscard]] bool call(const std::string& verb) const {
        return std::system(
                   (std::string(GYRE_SCRATCH_POSTGRES) + " " + verb + " " + folder_).c_str()) == 0;
    }

private:
    ScratchServer()
        : folder_("/tmp/gyre-postgres-" + std::to_string(::getpid())), is_there_(call("start")) {}

    const std::string folder_;
    const bool is_there_;
};

}  // namespace gyre::test

// In SetUp or in the body of a test.
#define GYRE_NEEDS_POSTGRES()                                                                  \
    do {                                                                                       \
        if (gyre::test::ScratchServer::instance().is_there()) break;                           \
        if (std::getenv("GYRE_REQUIRE_POSTGRES") != nullptr) FAIL() << "no PostgreSQL starts"; \
        GTEST_SKIP() << "skipped: no PostgreSQL starts here (package postgresql)";             \
    } while (false)
