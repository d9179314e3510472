// SPDX-License-Identifier: Apache-2.0
// bench_growth: gyre's own subjects of ./dev bench growth; see meter.hpp.
#include "bench/growth/subjects.hpp"

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_growth(
        argument_count, arguments,
        {task_subjects(), descriptor_subjects(), language_subjects(), http_subjects()});
}
