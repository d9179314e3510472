// SPDX-License-Identifier: Apache-2.0
// make_db_library: system:db for Vela programs, with TLS to PostgreSQL where the program that embeds the
// machine has it.
//
//     const auto databases = vela::make_db_library({.encryption = my_encryption});
//     const vela::NativeLibraries all = {vela::system_library(), databases.get()};
//     co_await vela::run_program(*lowered, host, {}, all);
//
// Thread: made by one thread; programs on any loop use it.
// Lifetime: it outlives every program that uses it.
#pragma once

#include <functional>
#include <memory>

#include "gyre/db/pool.hpp"

namespace gyre::vela {

namespace vm {
class NativeLibrary;
}

// Called on the loop of the program that opens a database. Left out: a URL that asks for TLS is refused.
struct DbSupport {
    std::function<std::shared_ptr<db::Encryption>()> encryption = nullptr;
};

[[nodiscard]] std::shared_ptr<const vm::NativeLibrary> make_db_library(DbSupport support);

}  // namespace gyre::vela
