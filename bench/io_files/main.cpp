// SPDX-License-Identifier: Apache-2.0
// bench_io_files: our rows of the group io that read files: a task for each read in flight. The
// rows that end in _epoll are on that platform, where threads of the pool read; the others are on
// io_uring. Called by bench/run.py; see protocol.hpp.
#include <optional>

#include "bench/io_files/file_cases.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::bench {
namespace {

template <char first_letter>
class Reader {
public:
    explicit Reader(const std::string& path) {
        executor_.root().spawn([this, path]() -> Future<void> { file_ = co_await fs::open(path); });
        (void)loop_.run();
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
        file_ = fs::File();
        loop_.close();
    }

    void read(ReadPlan& plan, const ReadBuffers& buffers) {
        for (std::size_t i = 0; i < buffers.count(); ++i) {
            executor_.root().spawn([this, &plan, buffer = buffers[i]]() -> Future<void> {
                while (plan.has_more()) {
                    const std::size_t count = co_await file_.read_at(buffer, plan.next_offset());
                    if (count != plan.size_bytes) std::abort();
                }
            });
        }
        (void)loop_.run();
    }

private:
    static std::unique_ptr<Platform> make(Clock& clock) {
        auto made = platform::make_platform(clock, first_letter == 'e' ? "epoll" : "uring");
        if (!made) std::exit(0);  // Its rows stay empty.
        return std::move(*made);
    }

    platform::SystemClock clock_;
    pool::ThreadPool pool_{pool::ThreadPoolOptions{.clock = &clock_}};
    std::unique_ptr<Platform> platform_ = make(clock_);
    Executor executor_;
    Loop loop_{*platform_, executor_, {.offload = &pool_}};
    fs::File file_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{read_case_names(""), [](Run& run) { measure_reads<Reader<'u'>>(run, ""); }},
          {read_case_names("_epoll"),
           [](Run& run) { measure_reads<Reader<'e'>>(run, "_epoll"); }}}});
}
