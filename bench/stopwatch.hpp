// SPDX-License-Identifier: Apache-2.0
// What a benchmark measures with: real nanoseconds, and bytes taken from malloc.
//
// Each thread uses stopwatches of its own; a HeapMeter belongs to the main thread, because malloc
// tells about the main arena only. Both are values that live as long as one measurement.
#pragma once

#include <malloc.h>
#include <time.h>

#include <cstdint>

namespace gyre::bench {

// The raw monotonic clock: programs that put a virtual clock under a library replace the plain one.
inline std::int64_t real_now_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Stopwatch {
public:
    [[nodiscard]] double elapsed_ns() const noexcept {
        return static_cast<double>(real_now_ns() - start_ns_);
    }

    // Nanoseconds an operation since the start or the last lap; the next lap starts now.
    double lap_ns_per(std::uint64_t operation_count) noexcept {
        const std::int64_t now_ns = real_now_ns();
        const auto elapsed = static_cast<double>(now_ns - start_ns_);
        start_ns_ = now_ns;
        return elapsed / static_cast<double>(operation_count);
    }

private:
    std::int64_t start_ns_ = real_now_ns();
};

class HeapMeter {
public:
    [[nodiscard]] double bytes_per(std::uint64_t object_count) const noexcept {
        return static_cast<double>(used_bytes() - start_bytes_) / static_cast<double>(object_count);
    }

private:
    static std::int64_t used_bytes() noexcept {
        const struct mallinfo2 info = mallinfo2();
        return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
    }

    std::int64_t start_bytes_ = used_bytes();
};

// Keeps freed memory in the program, so that a second pass does not pay for fresh pages again.
inline void keep_freed_memory() noexcept {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
}

// Runs `operation` in growing batches until `span_ns` have passed; nanoseconds an operation.
template <class Operation>
double ns_per_operation(double span_ns, Operation&& operation) {
    std::uint64_t done_count = 0;
    std::uint64_t batch_count = 1;
    const Stopwatch stopwatch;
    for (;;) {
        for (std::uint64_t i = 0; i < batch_count; ++i) operation();
        done_count += batch_count;
        const double elapsed = stopwatch.elapsed_ns();
        if (elapsed >= span_ns) return elapsed / static_cast<double>(done_count);
        if (batch_count < 1024) batch_count *= 2;
    }
}

}  // namespace gyre::bench
