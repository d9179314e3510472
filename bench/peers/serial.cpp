// SPDX-License-Identifier: Apache-2.0
// The rows of the group pool without any pool: plain calls on one thread, whatever was asked for.
// The compiler must not find out that a second call gives the same.
#include "bench/fib_cases.hpp"

namespace gyre::bench {
namespace {

std::uint64_t plain_fib(unsigned n) {
    asm volatile("" : "+r"(n));
    if (n < 2) return n;
    return plain_fib(n - 1) + plain_fib(n - 2);
}

class Fibber {
public:
    explicit Fibber(unsigned /*thread_count*/) {}
    std::uint64_t fib(unsigned n) { return plain_fib(n); }
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {fib_entries<Fibber>()});
}
