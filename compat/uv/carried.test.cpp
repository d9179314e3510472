// SPDX-License-Identifier: Apache-2.0
// Calls from threads that do not run the loop: each is carried to the loop's thread.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "compat/uv/carried.test.hpp"

namespace gyre::uv::test {
namespace {

// clause: L17
TEST_F(UvCarried, streams_are_read_and_written) {
    int fds[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    std::array<uv_pipe_t, 2> ends{};
    std::atomic<int> received{0};
    std::atomic<int> done{0};
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_EQ(uv_pipe_init(&loop, &ends[i], 0), 0);
        ASSERT_EQ(uv_pipe_open(&ends[i], fds[i]), 0);
        ends[i].data = &received;
    }
    start();
    const auto take = [](uv_stream_t* from, ssize_t count, const uv_buf_t*) {
        if (count > 0)
            static_cast<std::atomic<int>*>(from->data)->fetch_add(static_cast<int>(count));
        if (count < 0) uv_close(reinterpret_cast<uv_handle_t*>(from), nullptr);
    };
    EXPECT_EQ(uv_read_start(stream(ends[1]), give_buffer, take), 0);
    // The pieces are copied: they are gone when the write is done.
    std::array<uv_write_t, 3> writes;
    char text[] = "abcdef";
    for (uv_write_t& write : writes) {
        std::vector<uv_buf_t> pieces = {uv_buf_init(text, 2), uv_buf_init(text + 2, 4)};
        write.data = &done;
        EXPECT_EQ(uv_write(&write, stream(ends[0]), pieces.data(), 2,
                           [](uv_write_t* request, int status) {
                               EXPECT_EQ(status, 0);
                               add_one(request->data);
                           }),
                  0);
    }
    const uv_buf_t whole = uv_buf_init(text, 6);
    EXPECT_EQ(uv_try_write(stream(ends[0]), &whole, 1), UV_EAGAIN);
    wait_for(received, 18);
    wait_for(done, 3);
    uv_shutdown_t shutdown;
    shutdown.data = &done;
    EXPECT_EQ(uv_shutdown(&shutdown, stream(ends[0]),
                          [](uv_shutdown_t* request, int status) {
                              EXPECT_EQ(status, 0);
                              add_one(request->data);
                          }),
              0);
    wait_for(done, 4);
    EXPECT_EQ(uv_read_stop(stream(ends[1])), 0);
    finish();
}

// clause: L17
TEST_F(UvCarried, connections_are_listened_for_and_made) {
    std::array<uv_tcp_t, 2> ends{};  // a listener and a client
    std::atomic<int> done{0};
    for (uv_tcp_t& end : ends) {
        ASSERT_EQ(uv_tcp_init(&loop, &end), 0);
        end.data = &done;
    }
    const sockaddr_in any = loopback(0);
    ASSERT_EQ(uv_tcp_bind(&ends[0], address_of(any), 0), 0);
    sockaddr_in at{};
    int size = sizeof at;
    ASSERT_EQ(uv_tcp_getsockname(&ends[0], reinterpret_cast<sockaddr*>(&at), &size), 0);
    start();
    EXPECT_EQ(uv_listen(stream(ends[0]), 8,
                        [](uv_stream_t* listener, int status) {
                            EXPECT_EQ(status, 0);
                            add_one(listener->data);
                        }),
              0);
    uv_connect_t connect;
    EXPECT_EQ(uv_tcp_connect(&connect, &ends[1], address_of(at),
                             [](uv_connect_t* request, int status) {
                                 EXPECT_EQ(status, 0);
                                 add_one(request->handle->data);
                             }),
              0);
    wait_for(done, 2);
    // What the loop refuses is told by the callback.
    uv_connect_t again;
    EXPECT_EQ(uv_tcp_connect(&again, &ends[0], address_of(at),
                             [](uv_connect_t* request, int status) {
                                 EXPECT_EQ(status, UV_EISCONN);
                                 add_one(request->handle->data);
                             }),
              0);
    wait_for(done, 3);
    EXPECT_EQ(uv_tcp_close_reset(&ends[1], [](uv_handle_t* handle) { add_one(handle->data); }), 0);
    wait_for(done, 4);
    finish();
}

// clause: L17
TEST_F(UvCarried, pipes_connect_and_say_why_they_cannot) {
    uv_pipe_t pipe;
    std::atomic<int> done{0};
    ASSERT_EQ(uv_pipe_init(&loop, &pipe, 0), 0);
    pipe.data = &done;
    start();
    uv_connect_t connect;
    std::string name = "/nowhere/at/all";
    uv_pipe_connect(&connect, &pipe, name.c_str(), [](uv_connect_t* request, int status) {
        EXPECT_EQ(status, UV_ENOENT);
        add_one(request->handle->data);
    });
    name.clear();
    wait_for(done, 1);
    uv_write_t write;
    write.data = &done;
    char letter = 'x';
    const uv_buf_t piece = uv_buf_init(&letter, 1);
    // A write to a pipe without a descriptor.
    EXPECT_EQ(uv_write(&write, stream(pipe), &piece, 1,
                       [](uv_write_t* request, int status) {
                           EXPECT_LT(status, 0);
                           EXPECT_EQ(request->handle->type, UV_NAMED_PIPE);
                           add_one(request->data);
                       }),
              0);
    wait_for(done, 2);
    EXPECT_EQ(uv_read_start(stream(pipe), give_buffer,
                            [](uv_stream_t* from, ssize_t count, const uv_buf_t*) {
                                EXPECT_EQ(count, UV_ENOTCONN);
                                add_one(from->data);
                            }),
              0);
    wait_for(done, 3);
    finish();
}

// clause: L17
TEST_F(UvCarried, datagrams_are_sent_and_received) {
    std::array<uv_udp_t, 2> ends{};
    std::atomic<int> done{0};
    for (uv_udp_t& end : ends) {
        ASSERT_EQ(uv_udp_init(&loop, &end), 0);
        end.data = &done;
    }
    const sockaddr_in any = loopback(0);
    ASSERT_EQ(uv_udp_bind(&ends[0], address_of(any), 0), 0);
    sockaddr_in at{};
    int size = sizeof at;
    ASSERT_EQ(uv_udp_getsockname(&ends[0], reinterpret_cast<sockaddr*>(&at), &size), 0);
    start();
    EXPECT_EQ(uv_udp_recv_start(
                  &ends[0], give_buffer,
                  [](uv_udp_t* from, ssize_t count, const uv_buf_t*, const sockaddr*, unsigned) {
                      if (count > 0) add_one(from->data);
                  }),
              0);
    uv_udp_send_t send;
    char letter = 'x';
    const uv_buf_t piece = uv_buf_init(&letter, 1);
    EXPECT_EQ(uv_udp_try_send(&ends[1], &piece, 1, address_of(at)), UV_EAGAIN);
    EXPECT_EQ(uv_udp_send(&send, &ends[1], &piece, 1, address_of(at),
                          [](uv_udp_send_t* request, int status) {
                              EXPECT_EQ(status, 0);
                              add_one(request->handle->data);
                          }),
              0);
    wait_for(done, 2);
    uv_udp_send_t lost;
    EXPECT_EQ(uv_udp_send(&lost, &ends[1], &piece, 1, nullptr,
                          [](uv_udp_send_t* request, int status) {
                              EXPECT_EQ(status, UV_EDESTADDRREQ);
                              add_one(request->handle->data);
                          }),
              0);
    wait_for(done, 3);
    EXPECT_EQ(uv_udp_recv_stop(&ends[0]), 0);
    finish();
}

// clause: L17
TEST_F(UvCarried, requests_of_the_pool_start_and_are_cancelled) {
    std::atomic<int> done{0};
    start();
    uv_work_t work;
    work.data = &done;
    EXPECT_EQ(uv_queue_work(
                  &loop, &work, [](uv_work_t*) {},
                  [](uv_work_t* request, int status) {
                      EXPECT_TRUE(status == 0 || status == UV_ECANCELED);
                      add_one(request->data);
                  }),
              0);
    EXPECT_EQ(uv_cancel(reinterpret_cast<uv_req_t*>(&work)), 0);
    uv_fs_t stat;
    stat.data = &done;
    std::string path = "/";
    EXPECT_EQ(uv_fs_stat(&loop, &stat, path.c_str(),
                         [](uv_fs_t* request) {
                             EXPECT_EQ(request->result, 0);
                             uv_fs_req_cleanup(request);
                             add_one(request->data);
                         }),
              0);
    path = "gone";
    uv_getaddrinfo_t names;
    names.data = &done;
    EXPECT_EQ(uv_getaddrinfo(
                  &loop, &names,
                  [](uv_getaddrinfo_t* request, int status, addrinfo* found) {
                      EXPECT_EQ(status, 0);
                      uv_freeaddrinfo(found);
                      add_one(request->data);
                  },
                  "127.0.0.1", nullptr, nullptr),
              0);
    wait_for(done, 3);
    finish();
}

// clause: L17
TEST_F(UvCarried, files_and_folders_are_watched) {
    const TemporaryFolder folder;
    uv_fs_event_t event;
    uv_fs_poll_t poll;
    std::atomic<int> done{0};
    ASSERT_EQ(uv_fs_event_init(&loop, &event), 0);
    ASSERT_EQ(uv_fs_poll_init(&loop, &poll), 0);
    event.data = poll.data = &done;
    start();
    // What does not exist is told by the callback.
    EXPECT_EQ(uv_fs_event_start(
                  &event,
                  [](uv_fs_event_t* handle, const char*, int, int status) {
                      EXPECT_EQ(status, UV_ENOENT);
                      add_one(handle->data);
                  },
                  (folder / "missing").c_str(), 0),
              0);
    EXPECT_EQ(uv_fs_poll_start(
                  &poll,
                  [](uv_fs_poll_t* handle, int status, const uv_stat_t*, const uv_stat_t*) {
                      EXPECT_EQ(status, UV_ENOENT);
                      add_one(handle->data);
                  },
                  (folder / "missing").c_str(), 1),
              0);
    wait_for(done, 2);
    EXPECT_EQ(uv_fs_event_stop(&event), 0);
    EXPECT_EQ(uv_fs_poll_stop(&poll), 0);
    finish();
}

// Each thread starts, stops and at last closes its own, in an order that the seed decides.
// clause: L17
TEST_F(UvCarried, handles_of_every_kind_are_started_stopped_and_closed_by_four_threads) {
    std::array<Kit, 4> kits;
    for (Kit& kit : kits) kit.init(&loop);
    start();
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < kits.size(); ++n) {
        threads.emplace_back([&kit = kits[n], n] {
            std::mt19937 random(static_cast<unsigned>(n));
            for (int i = 0; i < 300; ++i) {
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

}  // namespace
}  // namespace gyre::uv::test
