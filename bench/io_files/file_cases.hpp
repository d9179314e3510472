// SPDX-License-Identifier: Apache-2.0
// Reads of a file that is in the memory of the system: what the library adds to the copy. Written
// once for gyre and for libuv. A reader is a class with
//
//     Reader(path)
//     void read(plan, buffers)    makes plan.count reads, one at a time into each of the buffers
//
// and asks plan.next_offset() for each. One thread but for the library's own.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {

inline constexpr std::uint64_t bench_file_bytes = std::uint64_t{64} << 20u;

// One for each read in flight, at the start of a page: how fast the system copies depends on that,
// up to twice. Made before the clock starts, since to fill them with zeros takes its time too.
class ReadBuffers {
public:
    ReadBuffers(std::size_t count, std::size_t size_bytes)
        : memory_(count * size_bytes + page_bytes), size_bytes_(size_bytes), count_(count) {
        std::size_t room = memory_.size();
        first_ = memory_.data();
        (void)std::align(page_bytes, count * size_bytes, first_, room);
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::span<std::byte> operator[](std::size_t index) const noexcept {
        return {static_cast<std::byte*>(first_) + index * size_bytes_, size_bytes_};
    }

private:
    static constexpr std::size_t page_bytes = 4096;

    std::vector<std::byte> memory_;
    std::size_t size_bytes_;
    std::size_t count_;
    void* first_;
};

struct ReadPlan {
    std::size_t size_bytes;
    std::size_t in_flight;
    bool is_random;
    std::uint64_t count;

    std::uint64_t begun = 0;
    std::uint64_t state = 1;
    [[nodiscard]] bool has_more() const noexcept { return begun < count; }
    std::uint64_t next_offset() noexcept {
        const std::uint64_t places = bench_file_bytes / size_bytes;
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t place = is_random ? (state >> 33u) % places : begun % places;
        ++begun;
        return place * size_bytes;
    }
};

// Made for one run, gone with it.
class BenchFile {
public:
    BenchFile() {
        const int fd = ::mkstemp(path_.data());
        const std::vector<char> block(1u << 20u, 'x');
        for (std::uint64_t done = 0; done < bench_file_bytes; done += block.size()) {
            if (::write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
                std::perror("bench: the file to read cannot be written");
                std::exit(1);
            }
        }
        ::close(fd);
    }
    ~BenchFile() { ::unlink(path_.c_str()); }
    BenchFile(const BenchFile&) = delete;
    BenchFile& operator=(const BenchFile&) = delete;
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_ = "/tmp/gyre-bench-XXXXXX";
};

// Of all threads of this process, those that work for it in the system included.
inline double processor_ns() noexcept {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ns = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
    };
    return ns(used.ru_utime) + ns(used.ru_stime);
}

// Nanoseconds a read: by the clock on the wall, and of processor time.
template <class Reader>
void measure_reads(Run& run, const std::string& suffix) {
    keep_freed_memory();
    const BenchFile file;
    Reader reader(file.path());
    const auto measure = [&](const char* name, ReadPlan plan) {
        if (run.is_quick()) plan.count /= 4;
        const ReadBuffers buffers(plan.in_flight, plan.size_bytes);
        for (int pass = 0; pass < 5; ++pass) {
            ReadPlan fresh = plan;
            const double processor_before = processor_ns();
            const Stopwatch watch;
            reader.read(fresh, buffers);
            const auto count = static_cast<double>(plan.count);
            run.report(name + suffix, watch.elapsed_ns() / count);
            run.report(name + ("_cpu" + suffix), (processor_ns() - processor_before) / count);
        }
    };
    measure("file_random_4k_1", {4096, 1, true, 20'000});
    measure("file_random_4k_64", {4096, 64, true, 40'000});
    measure("file_sequential_1m_1", {1u << 20u, 1, false, 256});
    measure("file_sequential_1m_64", {1u << 20u, 64, false, 1024});
}

inline std::vector<std::string> read_case_names(const std::string& suffix) {
    std::vector<std::string> names;
    for (const char* name : {"file_random_4k_1", "file_random_4k_64", "file_sequential_1m_1",
                             "file_sequential_1m_64"}) {
        names.push_back(name + suffix);
        names.push_back(name + ("_cpu" + suffix));
    }
    return names;
}

}  // namespace gyre::bench
