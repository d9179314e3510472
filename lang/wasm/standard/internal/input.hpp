// SPDX-License-Identifier: Apache-2.0
// Input: the effect voyd.std.input: lines and bytes of standard input, which the loop reads. Bytes that were read
// ahead stay for the next request, of any run. The scheduler's thread; it outlives the handlers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "gyre/effect/handlers.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre::wasm {

class Input {
public:
    // The next bytes, at most so many; empty at the end.
    using Read = std::function<Future<std::string>(std::size_t size_max)>;
    using Write = std::function<void(std::string_view)>;

    // `write_prompt` writes to standard output.
    Input(Read read, Write write_prompt);

    using Op = Future<effect::Answer> (Input::*)(effect::Arguments);
    // Null: no op of that name.
    [[nodiscard]] static Op find(std::string_view name) noexcept;

private:
    using Answer = effect::Answer;
    using Arguments = effect::Arguments;

    Future<Answer> read_line(Arguments arguments);
    Future<Answer> read_bytes(Arguments arguments);
    Future<Answer> is_terminal(Arguments arguments);

    // False: at the end.
    Future<bool> fill();
    Future<std::size_t> find_line_end();

    const Read read_;
    const Write write_prompt_;
    Mutex mutex_{"standard input"};  // one request at a time reads
    std::string buffered_;
    bool is_at_end_ = false;
};

}  // namespace gyre::wasm
