// SPDX-License-Identifier: Apache-2.0
// The awaitables that wait for time, for the outside, for an actor, or for code that knows no tasks.
#include <array>
#include <coroutine>
#include <string>

#include "gyre/actor/actor.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/listener.hpp"
#include "tests/await_matrix/matrix.hpp"

namespace gyre::await_matrix {

// ---- Time: the value comes by itself ----

struct OfSleep {
    static constexpr const char* name = "sleep";
    static constexpr bool is_kept = false;
    explicit OfSleep(Stage& /*stage*/) {}
    [[nodiscard]] Sleep make() const { return sleep(5ms); }
    void give() {}
    static int number() { return 1; }
};

struct OfSleepUntil {
    static constexpr const char* name = "sleep_until";
    static constexpr bool is_kept = false;
    explicit OfSleepUntil(Stage& stage) : when_(stage.clock.peek() + 5ms) {}
    [[nodiscard]] SleepUntil make() const { return sleep_until(when_); }
    void give() {}
    static int number() { return 1; }

private:
    Instant when_;
};

struct OfYield {
    static constexpr const char* name = "yield";
    static constexpr bool is_kept = false;
    explicit OfYield(Stage& /*stage*/) {}
    [[nodiscard]] Yield make() const { return yield(); }
    void give() {}
    static int number() { return 1; }
};

struct OfReady {
    static constexpr const char* name = "ready";
    static constexpr bool is_kept = false;
    explicit OfReady(Stage& /*stage*/) {}
    [[nodiscard]] Ready<int> make() const { return ready(1); }
    void give() {}
    static int number(int value) { return value; }
};

struct OfInterval {
    static constexpr const char* name = "Interval";
    static constexpr bool is_kept = false;
    explicit OfInterval(Stage& /*stage*/) {}
    [[nodiscard]] auto make() { return interval_.next(); }
    void give() {}
    static int number(Instant /*when*/) { return 1; }

private:
    Interval interval_{5ms};
};

// ---- Threads ----

struct OfBlocking {
    static constexpr const char* name = "blocking";
    static constexpr bool is_kept = false;
    explicit OfBlocking(Stage& /*stage*/) {}
    [[nodiscard]] auto make() const {
        return blocking([] { return 1; });
    }
    void give() {}
    static int number(int value) { return value; }
};

// ---- The outside ----

struct OfRead {
    static constexpr const char* name = "net_read_some";
    static constexpr bool is_kept = true;
    explicit OfRead(Stage& stage) : stage_(stage) {
        Sockets& sockets = stage.platform.environment()->sockets();
        const auto pair = sockets.connection_pair().value();
        near_ = net::Connection(sockets, pair[0]);
        far_ = net::Connection(sockets, pair[1]);
    }
    [[nodiscard]] auto make() { return near_.read(buffer_); }
    void give() { stage_.root().spawn(far_.write(bytes_of("x"))); }
    static int number(std::size_t count) { return static_cast<int>(count); }

private:
    Stage& stage_;
    net::Connection near_;
    net::Connection far_;
    std::array<std::byte, 8> buffer_{};
};

struct OfAccept {
    static constexpr const char* name = "net_accept";
    static constexpr bool is_kept = true;
    explicit OfAccept(Stage& stage) : stage_(stage) {}
    [[nodiscard]] Future<void> set_up() {
        listener_.emplace(co_await net::listen(Address::loopback()));
    }
    [[nodiscard]] auto make() { return listener_->accept(); }
    void give() { stage_.root().spawn(connect(this)); }
    static int number(const net::Connection& connection) { return connection.is_open() ? 1 : 0; }

private:
    static Future<void> connect(OfAccept* self) {
        self->client_ = co_await net::connect(self->listener_->local_address().value());
    }
    Stage& stage_;
    std::optional<net::Listener> listener_;
    net::Connection client_;
};

struct OfFile {
    static constexpr const char* name = "fs_read_at";
    static constexpr bool is_kept = false;
    explicit OfFile(Stage& /*stage*/) {}
    [[nodiscard]] Future<void> set_up() {
        co_await fs::write_file("/one", "1");
        file_ = co_await fs::open("/one");
    }
    void tear_down() { file_ = fs::File(); }
    [[nodiscard]] auto make() { return file_.read_at(buffer_, 0); }
    void give() {}
    static int number(std::size_t count) { return static_cast<int>(count); }

private:
    fs::File file_;
    std::array<std::byte, 8> buffer_{};
};

// ---- Actors ----

struct Question {};

class Oracle : public actor::Actor<Oracle> {
public:
    explicit Oracle(SharedFuture<int> answer) : answer_(std::move(answer)) {}
    Future<int> handle(Question /*question*/) { co_return co_await answer_; }

private:
    SharedFuture<int> answer_;
};

struct OfAsk {
    static constexpr const char* name = "ask";
    static constexpr bool is_kept = false;
    explicit OfAsk(Stage& stage) : stage_(stage) {}
    [[nodiscard]] Future<void> set_up() {
        stage_.root().spawn(host(this));
        co_await is_open_;
    }
    void tear_down() {
        oracle_ = {};
        is_over_.set();
    }
    [[nodiscard]] auto make() { return oracle_.ask(Question{}); }
    void give() { answer_.resolve(1); }
    void fail() { answer_.reject(std::runtime_error("no")); }
    static int number(int value) { return value; }

private:
    static Future<void> host(OfAsk* self) {
        co_await actor::with_actors([self](actor::System& system) -> Future<void> {
            self->oracle_ = system.spawn<Oracle>(self->answer_.future());
            self->is_open_.set();
            co_await self->is_over_;
        });
    }
    Stage& stage_;
    Promise<int> answer_;
    Event is_open_;
    Event is_over_;
    actor::Ref<Oracle> oracle_;
};

// ---- The standard ----

struct OfStandard {
    static constexpr const char* name = "standard";
    static constexpr bool is_kept = false;
    explicit OfStandard(Stage& /*stage*/) {}
    [[nodiscard]] OfStandard& make() { return *this; }
    void give() {
        is_there_ = true;
        if (handle_ != nullptr) std::exchange(handle_, nullptr).resume();
    }
    static int number(int value) { return value; }

    [[nodiscard]] bool await_ready() const noexcept { return is_there_; }
    void await_suspend(std::coroutine_handle<> by) noexcept { handle_ = by; }
    [[nodiscard]] int await_resume() const noexcept { return 1; }

private:
    bool is_there_ = false;
    std::coroutine_handle<> handle_;
};

using OtherSources = ::testing::Types<OfSleep, OfSleepUntil, OfYield, OfReady, OfInterval,
                                      OfBlocking, OfRead, OfAccept, OfFile, OfAsk, OfStandard>;
INSTANTIATE_TYPED_TEST_SUITE_P(Other, AwaitMatrix, OtherSources, SourceNames);

}  // namespace gyre::await_matrix
