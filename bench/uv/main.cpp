// SPDX-License-Identifier: Apache-2.0
// bench_uv CASE: runs a case of libuv's interface on the libuv.so.1 that the loader finds, and prints
// nanoseconds for each operation: of the clock, and of the processor in all threads and children.
// Without a case it lists them. bench/uv/compare.py runs it on two libraries by turns.
#include <sys/resource.h>

#include <cstring>
#include <initializer_list>

#include "bench/uv/cases.hpp"

namespace gyre::bench {
namespace {

struct Row {
    const char* name;
    Case run;
    const char* says;
};

constexpr Row rows[] = {
    {"timers", timers, "a timer started, fired and closed, of 200,000"},
    {"timers_again", timers_again, "one of 1,000 timers moved by uv_timer_again"},
    {"loop_count", loop_count, "an iteration with an idle handle"},
    {"async_1", async_1, "a wake to another thread's loop and back"},
    {"async_2", async_2, "the same with 2 threads, for each wake"},
    {"async_4", async_4, "the same with 4 threads"},
    {"async_8", async_8, "the same with 8 threads"},
    {"queue_work", queue_work, "work for the pool, 64 at once"},
    {"fs_stat", fs_stat, "uv_fs_stat with a callback, 64 at once"},
    {"fs_stat_now", fs_stat_now, "uv_fs_stat without a callback"},
    {"getaddrinfo", names, "the addresses of localhost, 8 at once"},
    {"spawn", spawn, "a child that ends at once"},
    {"pipe_ping_pong", pipe_ping_pong, "5 bytes over a Unix socket"},
    {"tcp_ping_pong", tcp_ping_pong, "5 bytes over TCP"},
    {"tcp_pump", tcp_pump, "a kilobyte over TCP, in writes of 64"},
    {"tcp_pound", tcp_pound, "a connection made, answered and closed, 64 at once"},
    {"udp_pummel", udp_pummel, "a datagram sent and received"},
    {"accept_2", accept_2, "a connection accepted by one of 2 threads, which share the socket"},
    {"accept_4", accept_4, "the same with 4 threads"},
    {"accept_8", accept_8, "the same with 8 threads"},
};

double processor_ns() {
    double total = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        for (const timeval& time : {used.ru_utime, used.ru_stime}) {
            total +=
                static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
        }
    }
    return total;
}

int measure(const Row& row) {
    uv_loop_t loop;
    need(uv_loop_init(&loop));
    const std::uint64_t begin = uv_hrtime();
    const double processor_begin = processor_ns();
    const auto count = static_cast<double>(row.run(&loop));
    const double processor = processor_ns() - processor_begin;
    const auto clock = static_cast<double>(uv_hrtime() - begin);
    need(uv_loop_close(&loop));
    std::printf("%.1f %.1f\n", clock / count, processor / count);
    return 0;
}

}  // namespace
}  // namespace gyre::bench

int main(int argc, char** argv) {
    using namespace gyre::bench;
    for (const Row& row : rows) {
        if (argc < 2) std::printf("%s\t%s\n", row.name, row.says);
        if (argc >= 2 && std::strcmp(row.name, argv[1]) == 0) return measure(row);
    }
    return argc < 2 ? 0 : 2;
}
