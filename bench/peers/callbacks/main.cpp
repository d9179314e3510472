// SPDX-License-Identifier: Apache-2.0
// The rows `callbacks` of the group task: the same work done by hand, with state in structs,
// callbacks as a function and a pointer, and a queue of steps. It is what awaiting is measured
// against: no coroutines, no cancelling, no errors. Called by bench/run.py; see protocol.hpp. There
// is no fork-join on two threads: that would need a work-stealing pool, not callbacks.
#include "bench/peers/callbacks/entries.hpp"

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {await_entries(), switch_entries(), channel_entries(), tree_entries()});
}
