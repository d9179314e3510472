// SPDX-License-Identifier: Apache-2.0
// What the script that started a worker hears of it, as the number of an event.
#pragma once

#include <cstdint>

namespace gyre::script {

enum WorkerEvent : std::uint8_t {
    online = 1,
    output = 2,  // its text has a character for each byte
    error_output = 3,
    end = 4,  // the text is the status
    out_of_memory = 5,
    failure = 6,  // the worker could not start; the text says why
};

}  // namespace gyre::script
