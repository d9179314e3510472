// SPDX-License-Identifier: Apache-2.0
// What a stream leaves for the pending phase, and when it is registered with the system.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

class UvPending : public UvLoop {
protected:
    UvPending() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0);
        EXPECT_EQ(uv_pipe_init(&loop, &pipe, 0), 0);
        EXPECT_EQ(uv_pipe_open(&pipe, ends_[0]), 0);
        pipe.data = this;
    }
    ~UvPending() override { close_peer(); }
    // A write to the closed end is an error then, not a signal.
    void close_peer() {
        ::signal(SIGPIPE, SIG_IGN);
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }
    [[nodiscard]] int fd() const { return ends_[0]; }
    [[nodiscard]] int peer_fd() const { return ends_[1]; }
    void send(const char* text) {
        const auto size = static_cast<ssize_t>(std::string_view(text).size());
        EXPECT_EQ(::write(ends_[1], text, static_cast<std::size_t>(size)), size);
    }
    int write() {
        static char byte = 'x';
        const uv_buf_t piece = uv_buf_init(&byte, 1);
        writes_.push_back(std::make_unique<uv_write_t>());
        writes_.back()->data = this;
        return uv_write(writes_.back().get(), stream(), &piece, 1, on_written);
    }
    static void on_written(uv_write_t* request, int status) {
        auto& test = *static_cast<UvPending*>(request->data);
        test.written.push_back(status);
        if (test.closes_when_written && uv_is_closing(base(test.pipe)) == 0) test.close(test.pipe);
    }
    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&pipe); }
    // A buffer of one byte, so that more stays in the socket.
    static void give_a_byte(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
        static char room;
        *buffer = uv_buf_init(&room, 1);
    }
    static void stop_at_once(uv_stream_t* handle, ssize_t count, const uv_buf_t*) {
        if (count <= 0) return;
        ++static_cast<UvPending*>(handle->data)->read_count;
        EXPECT_EQ(uv_read_stop(handle), 0);
    }
    // How many iterations a run has, seen by a hook that does not keep the loop alive.
    int iterations_of_run() {
        uv_prepare_t hook;
        int count = 0;
        hook.data = &count;
        EXPECT_EQ(uv_prepare_init(&loop, &hook), 0);
        EXPECT_EQ(
            uv_prepare_start(&hook, [](uv_prepare_t* self) { ++*static_cast<int*>(self->data); }),
            0);
        uv_unref(base(hook));
        EXPECT_EQ(run(), 0);
        const int seen = count;
        close(hook);
        run();
        return seen;
    }

    uv_pipe_t pipe{};
    std::vector<int> written;
    bool closes_when_written = false;
    int read_count = 0;

private:
    int ends_[2];
    std::vector<std::unique_ptr<uv_write_t>> writes_;
};

TEST_F(UvPending, a_read_that_is_stopped_leaves_nothing_for_an_iteration) {
    send("abc");
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(read_count, 1);
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    EXPECT_EQ(uv_loop_alive(&loop), 1);
    EXPECT_EQ(uv_read_stop(stream()), 0);
    EXPECT_EQ(uv_loop_alive(&loop), 0);
    EXPECT_EQ(iterations_of_run(), 0);
    EXPECT_EQ(read_count, 1);
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(read_count, 2) << "what was left is read later";
    close(pipe);
    run();
}

TEST_F(UvPending, a_stopped_read_leaves_the_callback_of_a_write) {
    send("abc");
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    EXPECT_EQ(run(), 0);
    ASSERT_EQ(write(), 0);
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    EXPECT_EQ(uv_read_stop(stream()), 0);
    EXPECT_EQ(uv_loop_alive(&loop), 1);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(written, std::vector<int>{0});
    close(pipe);
    run();
}

TEST_F(UvPending, a_stream_closed_behind_a_write_ends_in_the_same_iteration) {
    ASSERT_EQ(write(), 0);
    close(pipe);
    EXPECT_EQ(iterations_of_run(), 1);
    EXPECT_EQ(written, std::vector<int>{0});
}

TEST_F(UvPending, a_stream_closed_with_a_write_that_waits_ends_in_the_same_iteration) {
    const std::string large(std::size_t{4} << 20u, 'x');
    const uv_buf_t all = uv_buf_init(const_cast<char*>(large.data()), 4u << 20u);
    uv_write_t request;
    request.data = this;
    ASSERT_EQ(uv_write(&request, stream(), &all, 1, on_written), 0);
    close(pipe);
    EXPECT_EQ(iterations_of_run(), 1);
    EXPECT_EQ(written, std::vector<int>{UV_ECANCELED});
}

// The write behind the one that failed is tried before the callbacks of both; the third one is cancelled
// by the close in the first callback.
TEST_F(UvPending, writes_behind_one_that_failed_are_tried_one_by_one) {
    close_peer();
    closes_when_written = true;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(write(), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(written, (std::vector<int>{UV_EPIPE, UV_EPIPE, UV_ECANCELED}));
}

TEST_F(UvPending, all_writes_to_a_closed_peer_fail) {
    close_peer();
    for (int i = 0; i < 20; ++i) ASSERT_EQ(write(), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(written, std::vector<int>(20, UV_EPIPE));
    EXPECT_EQ(uv_stream_get_write_queue_size(stream()), 0u);
    close(pipe);
    run();
}

// Whether the loop's epoll set has the descriptor; nothing when the loop is not on epoll.
std::optional<bool> is_registered(const uv_loop_t& loop, int fd) {
    const std::string epoll = std::to_string(uv_backend_fd(&loop));
    std::array<char, 64> name{};
    const std::string path = "/proc/self/fd/" + epoll;
    if (::readlink(path.c_str(), name.data(), name.size() - 1) <= 0) return {};
    if (std::string_view(name.data()) != "anon_inode:[eventpoll]") return {};
    std::ifstream info("/proc/self/fdinfo/" + epoll);
    for (std::string word; info >> word;) {
        int number = -1;
        if (word == "tfd:" && info >> number && number == fd) return true;
    }
    return false;
}

TEST_F(UvPending, a_stream_is_registered_with_its_first_read) {
    ASSERT_EQ(write(), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_NE(is_registered(loop, fd()), true);
    ASSERT_EQ(uv_read_start(stream(), give_a_byte, stop_at_once), 0);
    run(UV_RUN_NOWAIT);
    EXPECT_NE(is_registered(loop, fd()), false);
    close(pipe);
    run();
}

TEST_F(UvPending, a_write_that_must_wait_registers_the_stream) {
    const std::string large(std::size_t{4} << 20u, 'x');
    const uv_buf_t all = uv_buf_init(const_cast<char*>(large.data()), 4u << 20u);
    uv_write_t request;
    request.data = this;
    ASSERT_EQ(uv_write(&request, stream(), &all, 1, on_written), 0);
    EXPECT_GT(uv_stream_get_write_queue_size(stream()), 0u);
    run(UV_RUN_NOWAIT);
    ASSERT_NE(is_registered(loop, fd()), false);
    std::size_t arrived = 0;
    uv_pipe_t peer;
    ASSERT_EQ(uv_pipe_init(&loop, &peer, 0), 0);
    ASSERT_EQ(uv_pipe_open(&peer, ::dup(peer_fd())), 0);
    peer.data = &arrived;
    ASSERT_EQ(uv_read_start(
                  reinterpret_cast<uv_stream_t*>(&peer),
                  [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
                      static std::array<char, 65536> room;
                      *buffer = uv_buf_init(room.data(), room.size());
                  },
                  [](uv_stream_t* self, ssize_t count, const uv_buf_t*) {
                      if (count > 0)
                          *static_cast<std::size_t*>(self->data) += static_cast<std::size_t>(count);
                  }),
              0);
    while (written.empty() || arrived < large.size()) run(UV_RUN_ONCE);
    EXPECT_EQ(written, std::vector<int>{0});
    close(peer);
    close(pipe);
    run();
}

// Datagrams wait in the same way.
TEST_F(UvLoop, datagrams_that_are_not_received_any_more_leave_nothing_for_an_iteration) {
    uv_udp_t udp;
    int count = 0;
    ASSERT_EQ(uv_udp_init(&loop, &udp), 0);
    udp.data = &count;
    sockaddr_in at = loopback(0);
    ASSERT_EQ(uv_udp_bind(&udp, address_of(at), 0), 0);
    int size = sizeof at;
    ASSERT_EQ(uv_udp_getsockname(&udp, reinterpret_cast<sockaddr*>(&at), &size), 0);
    char byte = 'x';
    const uv_buf_t piece = uv_buf_init(&byte, 1);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(uv_udp_try_send(&udp, &piece, 1, address_of(at)), 1);
    }
    const auto give = [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
        static std::array<char, 64> room;
        *buffer = uv_buf_init(room.data(), room.size());
    };
    const auto take_one = [](uv_udp_t* self, ssize_t got, const uv_buf_t*, const sockaddr*,
                             unsigned) {
        if (got <= 0) return;
        ++*static_cast<int*>(self->data);
        EXPECT_EQ(uv_udp_recv_stop(self), 0);
    };
    ASSERT_EQ(uv_udp_recv_start(&udp, give, take_one), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(count, 1);
    ASSERT_EQ(uv_udp_recv_start(&udp, give, take_one), 0);
    EXPECT_EQ(uv_udp_recv_stop(&udp), 0);
    EXPECT_EQ(uv_loop_alive(&loop), 0);
    EXPECT_EQ(run(UV_RUN_NOWAIT), 0);
    EXPECT_EQ(count, 1);
    close(udp);
    run();
}

}  // namespace
}  // namespace gyre::uv::test
