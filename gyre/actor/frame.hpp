// SPDX-License-Identifier: Apache-2.0
// Frame: what travels between two stations; a plain value. Transport: what carries frames to one
// other station. It belongs to its own station, and any thread may use it.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/base/result.hpp"

namespace gyre::actor {

struct Frame {
    enum class Kind : std::uint8_t {
        tell,
        ask,
        answer,  // of an ask
        error,
        stop,
        stop_now,
        // Ties, by the number that the end gives which begins one. From that end:
        watch,
        link,
        untie,
        link_failed,
        // and to it:
        ended,
        failed,
    };
    Kind kind = Kind::tell;
    std::string actor = {};  // the name of the receiver, as exported
    std::string type = {};   // Serial<M>::name
    std::uint64_t call = 0;  // the number of a question or a tie
    std::uint64_t trace_id = 0;
    std::string bytes = {};  // a message, an answer, why something failed, who begins a tie
};

class Transport {
public:
    virtual ~Transport() = default;
    // An error where the frame is known to be lost. Frames arrive in their order.
    [[nodiscard]] virtual Result<void> send(Frame frame) = 0;
    // Its station has closed, and sends nothing more: the other one must close too. Called once.
    virtual void close() noexcept = 0;
};

}  // namespace gyre::actor
