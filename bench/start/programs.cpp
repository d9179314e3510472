// SPDX-License-Identifier: Apache-2.0
// Three small programs of gyre for ./dev bench start; BENCH_PROGRAM says which of them this is. Each
// writes "ready" in its first task. hello ends then; echo serves connections; idle has a timer every
// 100 ms.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "gyre/app/run.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/sleep.hpp"

namespace {

using namespace gyre;

void say_ready() {
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) std::abort();
}

[[maybe_unused]] Future<void> hello() {
    say_ready();
    co_return;
}

Future<void> serve(net::Connection connection) {
    std::array<std::byte, 4096> buffer;
    while (const std::size_t size = co_await connection.read(buffer)) {
        co_await connection.write(Bytes(buffer).first(size));
    }
}

[[maybe_unused]] Future<void> echo(Scope& root) {
    net::Listener listener = co_await net::listen(Address::loopback());
    say_ready();
    for (;;) root.spawn(serve, co_await listener.accept());
}

[[maybe_unused]] Future<void> idle() {
    say_ready();
    for (;;) co_await sleep(std::chrono::milliseconds(100));
}

}  // namespace

int main() {
    return gyre::run(BENCH_PROGRAM);
}
