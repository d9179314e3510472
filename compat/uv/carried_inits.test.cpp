// SPDX-License-Identifier: Apache-2.0
// Handles that are made by threads which do not run the loop, and calls that such threads may not
// make.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "compat/uv/carried.test.hpp"

namespace gyre::uv::test {
namespace {

// Made, opened, bound, started, stopped and closed, in an order that the seed decides.
// clause: L17
TEST_F(UvCarried, handles_of_every_kind_are_made_by_four_threads) {
    std::array<Kit, 4> kits;
    start();
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < kits.size(); ++n) {
        threads.emplace_back([this, &kit = kits[n], n] {
            kit.init(&loop);
            std::mt19937 random(static_cast<unsigned>(n));
            for (int i = 0; i < 100; ++i) {
                const unsigned kind = static_cast<unsigned>(random() % 14);
                if (random() % 2 == 0) {
                    kit.start_one(kind);
                } else {
                    kit.stop_one(kind);
                }
            }
            kit.close_all();
            while (kit.closed.load() < Kit::handle_count) std::this_thread::yield();
        });
    }
    for (std::thread& thread : threads) thread.join();
    finish();
    for (const Kit& kit : kits) {
        EXPECT_EQ(kit.closed.load(), Kit::handle_count);
        ::close(kit.poll_fds[0]);
        ::close(kit.poll_fds[1]);
    }
}

// The first send may come before the loop knows of the handle.
// clause: L17
TEST_F(UvCarried, an_async_that_another_thread_made_can_be_sent_at_once) {
    start();
    for (int round = 0; round < 50; ++round) {
        uv_async_t async;
        std::atomic<int> sent{0};
        ASSERT_EQ(uv_async_init(&loop, &async, [](uv_async_t* self) { add_one(self->data); }), 0);
        async.data = &sent;
        EXPECT_EQ(uv_async_send(&async), 0);
        wait_for(sent, 1);
        uv_close(reinterpret_cast<uv_handle_t*>(&async),
                 [](uv_handle_t* self) { add_one(self->data); });
        wait_for(sent, 2);
    }
    finish();
}

// clause: L17
TEST_F(UvCarried, a_walk_finds_a_handle_that_another_thread_made) {
    start();
    uv_timer_t timer;
    std::atomic<int> fired{0};
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    timer.data = &fired;
    ASSERT_EQ(uv_timer_start(&timer, [](uv_timer_t* self) { add_one(self->data); }, 0, 0), 0);
    wait_for(fired, 1);
    finish();  // closes what it finds by a walk
    EXPECT_EQ(uv_is_closing(reinterpret_cast<uv_handle_t*>(&timer)), 1);
}

// clause: L17
TEST_F(UvCarried, a_connection_is_accepted_by_the_loops_thread_alone) {
    start();
    uv_tcp_t listener;
    uv_tcp_t connection;
    ASSERT_EQ(uv_tcp_init(&loop, &listener), 0);
    ASSERT_EQ(uv_tcp_init(&loop, &connection), 0);
    const sockaddr_in any = loopback(0);
    ASSERT_EQ(uv_tcp_bind(&listener, address_of(any), 0), 0);
    sockaddr_in at{};
    int size = sizeof at;
    ASSERT_EQ(uv_tcp_getsockname(&listener, reinterpret_cast<sockaddr*>(&at), &size), 0);
    std::atomic<int> came{0};
    listener.data = &came;
    ASSERT_EQ(uv_listen(stream(listener), 8, [](uv_stream_t* from, int) { add_one(from->data); }),
              0);
    uv_tcp_t client;
    uv_connect_t connect;
    ASSERT_EQ(uv_tcp_init(&loop, &client), 0);
    ASSERT_EQ(uv_tcp_connect(&connect, &client, address_of(at), [](uv_connect_t*, int) {}), 0);
    wait_for(came, 1);
    EXPECT_EQ(uv_accept(stream(listener), stream(connection)), UV_EAGAIN);
    finish();
}

struct Spawned {
    std::atomic<int> ended{0};
    std::int64_t status = -1;
    std::string output;

    static void end(uv_process_t* process, std::int64_t status, int /*signal*/) {
        auto& spawned = *static_cast<Spawned*>(process->data);
        spawned.status = status;
        spawned.ended.fetch_add(1);
    }
    static void read(uv_stream_t* from, ssize_t count, const uv_buf_t* buffer) {
        auto& spawned = *static_cast<Spawned*>(from->data);
        if (count > 0) spawned.output.append(buffer->base, static_cast<std::size_t>(count));
        if (count == UV_EOF) spawned.ended.fetch_add(1);
    }
};

// The options and what they point to are gone when the child starts.
// clause: L17
TEST_F(UvCarried, a_child_is_spawned_and_its_end_and_output_come) {
    start();
    Spawned spawned;
    uv_process_t process;
    uv_pipe_t pipe;
    ASSERT_EQ(uv_pipe_init(&loop, &pipe, 0), 0);
    process.data = pipe.data = &spawned;
    {
        std::vector<std::string> texts = {"sh", "-c", "echo $WORD in $PWD; exit 3", "WORD=hello"};
        std::array<char*, 4> args = {texts[0].data(), texts[1].data(), texts[2].data(), nullptr};
        std::array<char*, 2> env = {texts[3].data(), nullptr};
        std::array<uv_stdio_container_t, 2> stdio{};
        stdio[0].flags = UV_IGNORE;
        stdio[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
        stdio[1].data.stream = stream(pipe);
        std::string file = "/bin/sh";
        std::string folder = "/";
        uv_process_options_t options{};
        options.exit_cb = Spawned::end;
        options.file = file.c_str();
        options.args = args.data();
        options.env = env.data();
        options.cwd = folder.c_str();
        options.stdio = stdio.data();
        options.stdio_count = 2;
        EXPECT_EQ(uv_spawn(&loop, &process, &options), 0);
        for (std::string* text : {&texts[1], &texts[2], &texts[3], &file, &folder}) {
            std::fill(text->begin(), text->end(), '?');
        }
    }
    EXPECT_EQ(uv_read_start(stream(pipe), give_buffer, Spawned::read), 0);
    wait_for(spawned.ended, 2);
    finish();
    EXPECT_EQ(spawned.status, 3);
    EXPECT_EQ(spawned.output, "hello in /\n");
}

// clause: L17
TEST_F(UvCarried, a_child_that_cannot_be_spawned_ends_with_the_error) {
    start();
    Spawned spawned;
    uv_process_t process;
    process.data = &spawned;
    char file[] = "/nowhere/at/all";
    char* args[] = {file, nullptr};
    uv_process_options_t options{};
    options.exit_cb = Spawned::end;
    options.file = file;
    options.args = args;
    EXPECT_EQ(uv_spawn(&loop, &process, &options), 0);
    wait_for(spawned.ended, 1);
    EXPECT_EQ(spawned.status, UV_ENOENT);
    options.file = nullptr;
    uv_process_t nothing;
    EXPECT_EQ(uv_spawn(&loop, &nothing, &options), UV_EINVAL);
    nothing.data = &spawned.ended;
    uv_close(reinterpret_cast<uv_handle_t*>(&nothing),
             [](uv_handle_t* handle) { add_one(handle->data); });
    wait_for(spawned.ended, 2);
    finish();
}

}  // namespace
}  // namespace gyre::uv::test
