// SPDX-License-Identifier: Apache-2.0
// Streams: a coroutine that yields a value for each call of next. It may await in between, chains
// are lazy too, and it cleans up when its reader stops.
//
//     $ build/release/bin/examples/21_stream
//     page 1 is read
//     page 2 is read
//     page 3 is read
//     the connection is closed
//     2, 4, 6

// [head]
#include <cstdio>
#include <exception>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [generator]
Future<void> close_connection() {
    co_await sleep(1ms);
    std::puts("the connection is closed");
}

Stream<int> rows() {
    std::exception_ptr ended;
    try {
        for (int row = 1, page = 1;; ++page) {
            co_await sleep(1ms);
            std::printf("page %d is read\n", page);
            for (const int end = row + 2; row < end; ++row) co_yield row;
        }
    } catch (...) {  // its reader has had enough, or is cancelled
        ended = std::current_exception();
    }
    co_await close_connection();
    std::rethrow_exception(ended);
}
// [/generator]

// [reader]
Future<void> app() {
    std::string text;
    auto even = rows().filter([](int row) { return row % 2 == 0; }).take(3);
    while (auto row = co_await even.next()) {
        text += (text.empty() ? "" : ", ") + std::to_string(*row);
    }
    std::puts(text.c_str());
}
// [/reader]

int main() {
    return gyre::run(app);
}
