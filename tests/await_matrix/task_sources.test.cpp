// SPDX-License-Identifier: Apache-2.0
// The awaitables of gyre/task that wait for another task.
#include "tests/await_matrix/matrix.hpp"

namespace gyre::await_matrix {

struct OfFuture {
    static constexpr const char* name = "Future";
    static constexpr bool is_kept = false;
    explicit OfFuture(Stage& /*stage*/) {}
    [[nodiscard]] Future<int> make() const { return wait_for(promise_.future()); }
    void give() { promise_.resolve(1); }
    void fail() { promise_.reject(std::runtime_error("no")); }
    static int number(int value) { return value; }

private:
    static Future<int> wait_for(SharedFuture<int> future) { co_return co_await future; }
    Promise<int> promise_;
};

struct OfPromise {
    static constexpr const char* name = "SharedFuture";
    static constexpr bool is_kept = true;
    explicit OfPromise(Stage& /*stage*/) {}
    [[nodiscard]] SharedFuture<int> make() const { return promise_.future(); }
    void give() { promise_.resolve(1); }
    void fail() { promise_.reject(Error(std::errc::no_link)); }
    static int number(int value) { return value; }

private:
    Promise<int> promise_;
};

// The lvalue is awaited where it is.
struct OfKeptShare {
    static constexpr const char* name = "SharedFuture_kept";
    static constexpr bool is_kept = true;
    explicit OfKeptShare(Stage& /*stage*/) {}
    [[nodiscard]] SharedFuture<int>& make() { return future_; }
    void give() { promise_.resolve(1); }
    void fail() { promise_.reject(std::runtime_error("no")); }
    static int number(int value) { return value; }

private:
    Promise<int> promise_;
    SharedFuture<int> future_ = promise_.future();
};

struct OfTask {
    static constexpr const char* name = "TaskHandle";
    static constexpr bool is_kept = true;
    explicit OfTask(Stage& stage) : task_(stage.root().spawn(give_it, promise_.future())) {}
    [[nodiscard]] TaskHandle<int>& make() { return task_; }
    void give() { promise_.resolve(1); }
    static int number(int value) { return value; }

private:
    static Future<int> give_it(SharedFuture<int> future) { co_return co_await future; }
    Promise<int> promise_;
    TaskHandle<int> task_;
};

struct OfReceive {
    static constexpr const char* name = "Channel_receive";
    static constexpr bool is_kept = true;
    explicit OfReceive(Stage& /*stage*/) {}
    [[nodiscard]] auto make() { return channel_.receive(); }
    void give() { EXPECT_TRUE(channel_.try_send(1)); }
    static int number(std::optional<int> value) { return value.value(); }

private:
    Channel<int> channel_{1};
};

struct OfSend {
    static constexpr const char* name = "Channel_send";
    static constexpr bool is_kept = true;
    explicit OfSend(Stage& /*stage*/) { EXPECT_TRUE(channel_.try_send(0)); }
    [[nodiscard]] auto make() { return channel_.send(1); }
    void give() { EXPECT_EQ(channel_.try_receive(), 0); }
    void fail() { channel_.close(); }
    static int number() { return 1; }

private:
    Channel<int> channel_{1};
};

struct OfThreadReceive {
    static constexpr const char* name = "ThreadChannel_receive";
    static constexpr bool is_kept = true;
    explicit OfThreadReceive(Stage& /*stage*/) {}
    [[nodiscard]] auto make() { return channel_.receive(); }
    void give() { EXPECT_TRUE(channel_.try_send(1)); }
    static int number(std::optional<int> value) { return value.value(); }

private:
    ThreadChannel<int> channel_{2};
};

struct OfEvent {
    static constexpr const char* name = "Event";
    static constexpr bool is_kept = true;
    explicit OfEvent(Stage& /*stage*/) {}
    [[nodiscard]] Event& make() { return event_; }
    void give() { event_.set(); }
    static int number() { return 1; }

private:
    Event event_;
};

struct OfEventWait {
    static constexpr const char* name = "Event_wait";
    static constexpr bool is_kept = true;
    explicit OfEventWait(Stage& /*stage*/) {}
    [[nodiscard]] auto make() { return event_.wait(); }
    void give() { event_.set(); }
    static int number() { return 1; }

private:
    Event event_;
};

struct OfSemaphore {
    static constexpr const char* name = "Semaphore_acquire";
    static constexpr bool is_kept = true;
    explicit OfSemaphore(Stage& /*stage*/) {}
    [[nodiscard]] auto make() { return semaphore_.acquire(); }
    void give() { semaphore_.release(); }
    static int number(const Permits& permits) { return static_cast<int>(permits.count()); }

private:
    Semaphore semaphore_{0};
};

struct OfMutex {
    static constexpr const char* name = "Mutex_lock";
    static constexpr bool is_kept = true;
    explicit OfMutex(Stage& /*stage*/) : held_(mutex_.try_lock()) {}
    [[nodiscard]] auto make() { return mutex_.lock(); }
    void give() { held_ = MutexGuard(); }
    static int number(const MutexGuard& /*guard*/) { return 1; }

private:
    Mutex mutex_;
    MutexGuard held_;
};

struct OfStream {
    static constexpr const char* name = "Stream_next";
    static constexpr bool is_kept = true;
    explicit OfStream(Stage& /*stage*/) : stream_(values(channel_)) {}
    [[nodiscard]] auto make() { return stream_.next(); }
    void give() { EXPECT_TRUE(channel_.try_send(1)); }
    void fail() { EXPECT_TRUE(channel_.try_send(-1)); }
    static int number(std::optional<int> value) { return value.value(); }

private:
    static Stream<int> values(Channel<int>& from) {
        while (const auto value = co_await from.receive()) {
            if (*value < 0) throw std::runtime_error("no");
            co_yield *value;
        }
    }
    Channel<int> channel_{1};
    Stream<int> stream_;
};

using TaskSources =
    ::testing::Types<OfFuture, OfPromise, OfKeptShare, OfTask, OfReceive, OfSend, OfThreadReceive,
                     OfEvent, OfEventWait, OfSemaphore, OfMutex, OfStream>;
INSTANTIATE_TYPED_TEST_SUITE_P(Task, AwaitMatrix, TaskSources, SourceNames);

}  // namespace gyre::await_matrix
