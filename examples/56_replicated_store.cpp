// SPDX-License-Identifier: Apache-2.0
// A key-value store on three servers (Raft, in replicated_store/server.hpp) whose network, disks and
// machines break as a seed says. Clients' histories must be linearizable. Options search further:
// --bug 1 to 6 switches a known mistake on, --seeds N, --seed S, --plan hostile, --shrink, --help.
//
//     $ build/release/bin/examples/56_replicated_store
//     20 seeds, and every history is linearizable

// [head]
#include <charconv>
#include <cstdio>

#include <gyre/testing/host_new.hpp>

#include "examples/replicated_store/trial.hpp"
// [/head]

// 0 if there is no --bug, -1 if it is not a number from 1 to 6.
static int bug_of(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string_view word = argv[i];
        if (word == "--bug")
            word = i + 1 < argc ? argv[i + 1] : "";
        else if (word.starts_with("--bug="))
            word.remove_prefix(6);
        else
            continue;
        const bool is_good = word.size() == 1 && word[0] >= '1' && word[0] <= '6';
        return is_good ? word[0] - '0' : -1;
    }
    return 0;
}

int main(int argc, char** argv) {
    const int bug = bug_of(argc, argv);
    if (bug < 0) {
        std::fprintf(stderr, "--bug: a number from 1 to 6 is needed\n");
        return 2;
    }
    const gyre::testing::Scenario scenario = {
        .name = "replicated store",
        .make_sized =
            [bug](const gyre::testing::Sizes& sizes) {
                return std::make_unique<store::StoreTrial>(bug, sizes);
            },
        .sizes = {{"clients", 3}, {"requests", 25}},
        .tasks_may_fail = true,
        .own_options = {"--bug"},
        .own_help =
            "  --bug N         1 forgets its vote, 2 trusts the index of an entry, 3 commits old\n"
            "                  terms by count, 4 reads its own copy, 5 answers before the disk,\n"
            "                  6 applies retries twice\n"};
    if (argc > 1) return gyre::testing::search_seeds(argc, argv, scenario);
    char* few[] = {argv[0], const_cast<char*>("--seeds=20"), const_cast<char*>("--quiet")};
    const int result = gyre::testing::search_seeds(3, few, scenario);
    if (result == 0) std::printf("20 seeds, and every history is linearizable\n");
    return result;
}
