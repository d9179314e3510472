// SPDX-License-Identifier: Apache-2.0
// bench_pool: gyre's own rows of the group pool. Called by bench/run.py; see protocol.hpp.
#include "bench/fib_cases.hpp"
#include "gyre/pool/workers.hpp"

namespace gyre::bench {
namespace {

std::uint64_t forked_fib(unsigned n) {
    if (n < 2) return n;
    const auto [one, two] =
        pool::fork_join([n] { return forked_fib(n - 1); }, [n] { return forked_fib(n - 2); });
    return one + two;
}

class Fibber {
public:
    explicit Fibber(unsigned thread_count) : workers_({.worker_count = thread_count}) {}
    std::uint64_t fib(unsigned n) {
        return workers_.run([n] { return forked_fib(n); });
    }

private:
    pool::Workers workers_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {fib_entries<Fibber>()});
}
