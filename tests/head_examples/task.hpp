// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/task take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::task_examples {

extern Scope& scope;
extern std::string url;
extern int id;
extern Instant now;
extern Instant started;
Future<std::string> fetch(const std::string& url);
Future<void> save();
void use(int value);

struct Page {};
struct User {};
struct Config {};
struct Rows {};

namespace all_hpp {
Future<User> fetch_user(int id);
Future<std::vector<int>> fetch_orders(int id);
extern std::vector<Future<Page>> fetches;
extern std::vector<Future<Page>> others;
void show(const Page& page);
void report(const std::exception_ptr& error);
}  // namespace all_hpp
namespace awaitable_hpp {
struct Item {};
extern Channel<Item> channel;
}  // namespace awaitable_hpp
namespace select_hpp {
extern Channel<int> inbox;
void handle(std::optional<int> message);
void send_heartbeat();
}  // namespace select_hpp
namespace race_hpp {
extern std::string mirror_a;
extern std::string mirror_b;
extern std::string nearby;
extern std::string far_away;
}  // namespace race_hpp
namespace canceller_hpp {
struct Button {
    void on_press(std::function<void()> function);
};
extern Button button;
extern TaskHandle<void> handle;
extern std::stop_source source;
void search_until(const std::stop_token& stop);
}  // namespace canceller_hpp
namespace promise_hpp {
Future<Config> read_config();
void use(const Config& config);
}  // namespace promise_hpp

struct LogFile {
    Future<void> flush();
};
namespace shield_hpp {
extern LogFile log;
extern std::string draft;
Future<void> save(std::string text);
}  // namespace shield_hpp
namespace scope_hpp {
struct Connection {};
extern LogFile log;
extern Connection connection;
Future<void> serve(Connection connection);
Future<void> wait_for_more(Scope& scope);
}  // namespace scope_hpp

namespace executor_hpp {
extern Platform* platform;
}
namespace run_hpp {
using namespace gyre::platform;
}
namespace outcome_hpp {
extern TaskHandle<int> handle;
}
namespace sleep_hpp {
extern Instant deadline;
void send_heartbeat();
}  // namespace sleep_hpp
namespace task_handle_hpp {
Future<int> count();
}
namespace merge_hpp {
Stream<int> key_presses();
Stream<int> ticks(Duration period);
void handle(int event);
}  // namespace merge_hpp
namespace channel_hpp {
extern Channel<int> channel;
extern int item;
}  // namespace channel_hpp
namespace thread_channel_hpp {
extern ThreadChannel<int> channel;
extern int item;
}  // namespace thread_channel_hpp
namespace event_hpp {
extern Event event;
}
namespace semaphore_hpp {
extern Mutex mutex;
extern Semaphore semaphore;
}  // namespace semaphore_hpp
namespace blocking_hpp {
std::string read_all(const char* path);
double mean_of(const std::vector<double>& samples);
}  // namespace blocking_hpp
namespace on_hpp {
extern Loop& database_loop;
extern std::string text;
Future<Rows> query(std::string text);
}  // namespace on_hpp
namespace waker_hpp {
struct Device {
    [[nodiscard]] bool has_value() const;
    int value();
    void call_when_ready(std::function<void()> call);
};
extern Device device;
}  // namespace waker_hpp

}  // namespace gyre::task_examples
