// SPDX-License-Identifier: Apache-2.0
// What a real platform holds for open descriptors: connections, watched descriptors and folders,
// open files, and handles. The platform is the one that GYRE_PLATFORM names.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bench/growth/subjects.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

struct RealPlatform {
    platform::SystemClock clock;
    pool::ThreadPool pool{{.clock = &clock}};
    std::unique_ptr<Platform> platform = platform::make_platform(clock).value();
};

struct RealTasks : RealPlatform {
    ~RealTasks() { loop.close(); }
    void spawn(Future<void> task) { app.root().spawn(std::move(task)); }
    // Of a count that tasks move on.
    void turn_until(const std::uint64_t& count, std::uint64_t target) {
        while (count < target) loop.turn();
    }

    Executor app;
    Loop loop{*platform, app, {.offload = &pool}};
};

std::array<int, 2> socket_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        std::abort();
    }
    return ends;
}

void write_byte(int fd) {
    if (write(fd, "!", 1) != 1) std::abort();
}

// ---- Connections ----

Future<void> read_all(net::Connection connection, std::uint64_t& read_count) {
    std::array<std::byte, 16> buffer;
    while (co_await connection.read(buffer) > 0) ++read_count;
}

class Connections {
public:
    explicit Connections(std::size_t count) {
        Sockets& sockets = tasks_.platform->environment()->sockets();
        const HeapMeter heap;
        for (std::size_t i = 0; i < count; ++i) {
            const auto [near, far] = socket_pair();
            far_ends_.push_back(far);
            tasks_.spawn(read_all(net::Connection(sockets, near), read_count_));
        }
        // Each has waited once, so that the first wait is not part of what is measured.
        for (const int fd : far_ends_) write_byte(fd);
        tasks_.turn_until(read_count_, count);
        bytes = heap.bytes_per(count);
    }
    ~Connections() {
        for (const int fd : far_ends_) close(fd);
    }

    void send(std::size_t to) {
        write_byte(far_ends_[to]);
        ++sent_count_;
    }
    void turn_until_read() { tasks_.turn_until(read_count_, far_ends_.size() + sent_count_); }

    double bytes = 0;

private:
    RealTasks tasks_;
    std::vector<int> far_ends_;
    std::uint64_t read_count_ = 0;
    std::uint64_t sent_count_ = 0;
};

// A byte to one connection, among others that are idle.
void connections_idle(Meter& meter, std::size_t count) {
    Connections connections(count);
    meter.report_bytes(connections.bytes);
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                connections.send(picks.next());
                connections.turn_until_read();
            }
        });
    }
}

// A byte to each of them at once, for each.
void connections_busy(Meter& meter, std::size_t count) {
    Connections connections(count);
    while (meter.goes_on()) {
        meter.measure(count, [&] {
            for (std::size_t i = 0; i < count; ++i) connections.send(i);
            connections.turn_until_read();
        });
    }
}

// ---- Files ----

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "gyre-growth-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }

    std::filesystem::path path;
};

Future<void> open_some(const std::string& path, std::size_t count, std::vector<fs::File>& files) {
    for (std::size_t i = 0; i < count; ++i) files.push_back(co_await fs::open(path));
}

Future<void> open_and_close(const std::string& path, std::uint64_t count,
                            std::uint64_t& done_count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        fs::File file = co_await fs::open(path);
        co_await file.aclose();
        ++done_count;
    }
}

// A file is opened and closed, among others that are open.
void files_open(Meter& meter, std::size_t count) {
    const Folder folder;
    const std::string path = (folder.path / "file").string();
    std::ofstream(path) << "text";
    RealTasks tasks;
    std::vector<fs::File> files;
    files.reserve(count);
    tasks.spawn(open_some(path, count, files));
    while (files.size() < count) tasks.loop.turn();
    std::uint64_t done_count = 0;
    while (meter.goes_on()) {
        const std::uint64_t target = done_count + batch;
        meter.measure(batch, [&] {
            tasks.spawn(open_and_close(path, batch, done_count));
            tasks.turn_until(done_count, target);
        });
    }
}

Future<void> take_changes(std::string path, bool& is_ready, std::uint64_t& change_count) {
    auto changes = co_await fs::watch(std::move(path), {.recursive = true});
    is_ready = true;
    while (const auto change = co_await changes.next()) {
        if (change->kind == fs::FileChange::Kind::attributes) ++change_count;
    }
}

// A change in one folder, among others that are watched.
void folders_watched(Meter& meter, std::size_t count) {
    const Folder folder;
    std::vector<std::filesystem::path> folders;
    for (std::size_t i = 0; i < count; ++i) {
        folders.push_back(folder.path / std::to_string(i));
        std::filesystem::create_directory(folders.back());
        std::ofstream(folders.back() / "file") << "text";
    }
    RealTasks tasks;
    bool is_ready = false;
    std::uint64_t change_count = 0;
    const HeapMeter heap;
    tasks.spawn(take_changes(folder.path.string(), is_ready, change_count));
    while (!is_ready) tasks.loop.turn();
    meter.report_bytes(heap.bytes_per(count));
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                const std::uint64_t target = change_count + 1;
                std::filesystem::permissions(folders[picks.next()] / "file",
                                             std::filesystem::perms::owner_all);
                tasks.turn_until(change_count, target);
            }
        });
    }
}

// ---- Handles ----

// Fires a timer as often as it is told, in iterations of its own.
class Ticker {
public:
    explicit Ticker(handle::PhasedLoop& loop) : loop_(loop), idle_(loop) {}
    void iterate(std::uint64_t count) {
        left_ = count;
        idle_.start([this](handle::Idle&) {
            if (--left_ == 0) loop_.stop();
        });
        loop_.run();
        idle_.stop();
    }
    void close() { idle_.close(); }

private:
    handle::PhasedLoop& loop_;
    handle::Idle idle_;
    std::uint64_t left_ = 0;
};

// An iteration of a loop with so many timers that are not due.
void handles(Meter& meter, std::size_t count) {
    RealPlatform real;
    handle::PhasedLoop loop(*real.platform, {.offload = &real.pool});
    const HeapMeter heap;
    std::deque<handle::Timer> timers;
    for (std::size_t i = 0; i < count; ++i) {
        timers.emplace_back(loop).start([](handle::Timer&) {}, std::chrono::hours(1));
    }
    meter.report_bytes(heap.bytes_per(count));
    Ticker ticker(loop);
    while (meter.goes_on()) {
        meter.measure(batch, [&] { ticker.iterate(batch); });
    }
    ticker.close();
    for (handle::Timer& timer : timers) timer.close();
    loop.run();
}

// A descriptor becomes readable, among others that are watched.
void descriptors_watched(Meter& meter, std::size_t count) {
    RealPlatform real;
    handle::PhasedLoop loop(*real.platform, {.offload = &real.pool});
    std::vector<int> far_ends;
    std::vector<int> near_ends;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [near, far] = socket_pair();
        near_ends.push_back(near);
        far_ends.push_back(far);
    }
    std::uint64_t ready_count = 0;
    const HeapMeter heap;
    std::deque<handle::FdPoll> polls;
    for (const int fd : near_ends) {
        polls.emplace_back(loop, fd).start(Events::readable,
                                           [&ready_count](handle::FdPoll& self, Result<Events>) {
                                               char byte = 0;
                                               if (read(self.fd(), &byte, 1) == 1) ++ready_count;
                                           });
    }
    static_cast<void>(loop.run(handle::RunMode::no_wait));
    meter.report_bytes(heap.bytes_per(count));
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                const std::uint64_t target = ready_count + 1;
                write_byte(far_ends[picks.next()]);
                while (ready_count < target) {
                    static_cast<void>(loop.run(handle::RunMode::once));
                }
            }
        });
    }
    for (handle::FdPoll& poll : polls) poll.close();
    loop.run();
    for (const int fd : near_ends) close(fd);
    for (const int fd : far_ends) close(fd);
}

}  // namespace

std::vector<Subject> descriptor_subjects() {
    const std::size_t open_max = descriptor_count_max();
    return {
        {"connections_idle", open_max / 2, connections_idle},
        {"connections_busy", open_max / 2, connections_busy},
        {"descriptors_watched", open_max / 2, descriptors_watched},
        {"files_open", open_max, files_open},
        {"folders_watched", 10'000, folders_watched},
        {"handles", million, handles},
    };
}

}  // namespace gyre::bench
