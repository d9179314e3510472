// SPDX-License-Identifier: Apache-2.0
// insert_run: the row of a run that nobody has begun yet.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/durable/store.hpp"

namespace gyre::durable {

struct NewRun {
    std::string key;
    std::string queue;
    std::string entry;
    std::string version;
    std::string parent;
    db::Blob arguments;
    std::int64_t wake_at = 0;
    std::int64_t created_at = 0;
};

// Part of a transaction. False: there is a run of that key. `run` outlives the future.
[[nodiscard]] Future<bool> insert_run(Store& store, db::Statements& in, const NewRun& run);

}  // namespace gyre::durable
