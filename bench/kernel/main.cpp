// SPDX-License-Identifier: Apache-2.0
// bench_kernel: gyre's own rows of the group kernel. Called by bench/run.py; see protocol.hpp.
#include "bench/kernel/entries.hpp"

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {wheel_entries(), timer_machine_entries(), message_loop_entries(), doorbell_entries(),
         two_loops_entries(), turn_entries(), op_entries(), fd_loop_entries()});
}
