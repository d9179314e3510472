// SPDX-License-Identifier: Apache-2.0
// What a program of the group growth speaks with bench/growth/growth.py, and how it measures.
//
//     PROGRAM --list                           prints a line for each subject: its name, a tab, and
//                                              the largest count
//     PROGRAM SUBJECT COUNT                    prints "ns<TAB>bytes": an operation, an item; "-"
//                                              where there is no such value
//     PROGRAM SUBJECT COUNT --operations N     does N operations or a few more, and prints their
//                                              number instead: growth.py counts their instructions
//
// A subject makes `count` items, reports what they hold of malloc's memory, and then measures
// batches of operations among them. Used from the main thread.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "bench/stopwatch.hpp"
#include "bench/workload.hpp"

#if __has_include(<valgrind/callgrind.h>)
#    include <valgrind/callgrind.h>
#else
#    define CALLGRIND_TOGGLE_COLLECT
#endif

namespace gyre::bench {

class Meter {
public:
    // 0 operations: as many as there is time for.
    explicit Meter(std::uint64_t operations_wanted) noexcept
        : operations_wanted_(operations_wanted) {}

    [[nodiscard]] bool goes_on() const noexcept {
        if (operations_wanted_ > 0) return operation_count_ < operations_wanted_;
        return operation_count_ == 0 || all_.elapsed_ns() < span_ns;
    }

    // One batch of `operations`, all of it measured.
    template <class Batch>
    void measure(std::uint64_t operations, Batch batch) {
        measure([&] {
            batch();
            return operations;
        });
    }
    // A batch that returns how many operations it did.
    template <class Batch>
    void measure(Batch batch) {
        const Stopwatch stopwatch;
        CALLGRIND_TOGGLE_COLLECT;
        const std::uint64_t operations = batch();
        CALLGRIND_TOGGLE_COLLECT;
        slice_ns_ += stopwatch.elapsed_ns();
        slice_operations_ += operations;
        operation_count_ += operations;
        if (slice_ns_ < slice_span_ns) return;
        best_ns_ = std::min(best_ns_, slice_ns_ / static_cast<double>(slice_operations_));
        slice_ns_ = 0;
        slice_operations_ = 0;
    }

    void report_bytes(double bytes) noexcept { bytes_ = bytes; }

    void print() const {
        if (operations_wanted_ > 0) {
            std::printf("%llu\n", static_cast<unsigned long long>(operation_count_));
            return;
        }
        double ns = best_ns_;
        if (ns == none && slice_operations_ > 0) {
            ns = slice_ns_ / static_cast<double>(slice_operations_);
        }
        print_or_dash(ns, '\t');
        print_or_dash(bytes_, '\n');
    }

private:
    static void print_or_dash(double value, char end) {
        if (value == none) {
            std::printf("-%c", end);
        } else {
            std::printf("%.2f%c", value, end);
        }
    }

    static constexpr double none = std::numeric_limits<double>::infinity();
    static constexpr double span_ns = 300e6;
    static constexpr double slice_span_ns = 5e6;

    const std::uint64_t operations_wanted_;
    std::uint64_t operation_count_ = 0;
    std::uint64_t slice_operations_ = 0;
    double slice_ns_ = 0;
    double best_ns_ = none;
    double bytes_ = none;
    Stopwatch all_;
};

struct Subject {
    const char* name;
    std::size_t count_max;
    void (*measure)(Meter& meter, std::size_t count);
};

inline constexpr std::size_t million = 1'000'000;

// As many descriptors as the system lets this process have, but for a few.
inline std::size_t descriptor_count_max() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) std::abort();
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) std::abort();
    return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, million)) - 64;
}

// Which item an operation is about: the same sequence in every program.
class Picks {
public:
    explicit Picks(std::size_t count) noexcept : count_(count) {}
    [[nodiscard]] std::size_t next() noexcept { return numbers_.next() % count_; }

private:
    std::size_t count_;
    Numbers numbers_{7};
};

// The whole of a program's `main`. Exit code 2 is a usage error.
inline int run_growth(int argument_count, char** arguments,
                      const std::vector<std::vector<Subject>>& tables) {
    const bool is_list = argument_count == 2 && std::string_view(arguments[1]) == "--list";
    const bool counts = argument_count == 5 && std::string_view(arguments[3]) == "--operations";
    if (!is_list && argument_count != 3 && !counts) {
        std::fprintf(stderr, "usage: %s --list | SUBJECT COUNT [--operations N]\n", arguments[0]);
        return 2;
    }
    for (const std::vector<Subject>& table : tables) {
        for (const Subject& subject : table) {
            if (is_list) std::printf("%s\t%zu\n", subject.name, subject.count_max);
            if (is_list || std::strcmp(subject.name, arguments[1]) != 0) continue;
            Meter meter(counts ? std::strtoull(arguments[4], nullptr, 10) : 0);
            subject.measure(meter, std::strtoull(arguments[2], nullptr, 10));
            meter.print();
            return 0;
        }
    }
    return is_list ? 0 : 2;
}

}  // namespace gyre::bench
