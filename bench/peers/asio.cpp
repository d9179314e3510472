// SPDX-License-Identifier: Apache-2.0
// Asio's rows of the group kernel (stand-alone Asio, io_context with concurrency hint 1).
//
// Timers: one steady_timer each, in virtual time, without a timer descriptor; a cancelled wait is
// delivered to its handler, which is part of cancelling and of re-arming. Messages: asio::post, one
// call each, as there is none for a batch. A turn that does not wait is poll, also in the spinning
// round trip; a loop that waits parks at once. Descriptors: async_read_some. One context a thread.
#include <asio.hpp>

#include "bench/fd_cases.hpp"
#include "bench/peers/virtual_clock.hpp"
#include "bench/round_trip_cases.hpp"
#include "bench/timer_cases.hpp"

namespace gyre::bench {
namespace {

class AsioTimers {
public:
    AsioTimers(std::size_t count, Fired& fired) : fired_(fired) {
        timers_.reserve(count);
        for (std::size_t i = 0; i < count; ++i) timers_.emplace_back(io_);
    }

    void start(std::size_t i, std::int64_t delay_ns) {
        timers_[i].expires_after(std::chrono::nanoseconds{delay_ns});
        timers_[i].async_wait([this, i](const asio::error_code& error) {
            if (!error) fired_.on_fire(i, *this);
        });
    }
    void cancel(std::size_t i) { timers_[i].cancel(); }
    void rearm(std::size_t i, std::int64_t delay_ns) { start(i, delay_ns); }
    void turn_at(std::int64_t time_ns) {
        time_.set(time_ns);
        io_.poll();
        io_.restart();
    }

private:
    Fired& fired_;
    VirtualTime time_;
    asio::io_context io_{1};
    std::vector<asio::steady_timer> timers_;
};

class AsioMessageLoop {
public:
    using Message = PlainMessage;
    static constexpr double idle_ns_before_park = 0;

    void post(Message& message) {
        asio::post(io_, [callback = message.callback] { callback.run(callback.argument); });
    }
    void post_many(std::span<Message> messages) {
        for (Message& message : messages) post(message);
    }
    void run() { io_.run(); }
    void poll() { io_.poll(); }
    void stop() { io_.stop(); }

protected:
    asio::io_context io_{1};

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
};

class AsioTurnLoop : public AsioMessageLoop {
public:
    AsioTurnLoop() {
        timer_.expires_after(std::chrono::hours{1});
        timer_.async_wait([](const asio::error_code&) {});
    }

private:
    asio::steady_timer timer_{io_};
};

class AsioFdLoop {
public:
    AsioFdLoop(std::span<const int> fds, std::uint64_t& delivered) : delivered_(delivered) {
        streams_.reserve(fds.size());
        for (const int fd : fds) {
            streams_.emplace_back(io_, fd);
            read(streams_.back());
        }
    }
    ~AsioFdLoop() {
        for (auto& stream : streams_) stream.release();
    }

    void turn() { io_.poll(); }

private:
    void read(asio::posix::stream_descriptor& stream) {
        stream.async_read_some(asio::buffer(&byte_, 1),
                               [this, &stream](const asio::error_code& error, std::size_t) {
                                   if (error) return;
                                   ++delivered_;
                                   read(stream);
                               });
    }

    std::uint64_t& delivered_;
    char byte_ = 0;
    asio::io_context io_{1};
    std::vector<asio::posix::stream_descriptor> streams_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {timer_entries<AsioTimers>(), message_entries<AsioMessageLoop, AsioTurnLoop>(),
         fd_entries<AsioFdLoop>()});
}
