// SPDX-License-Identifier: Apache-2.0
// Actors: a rate limiter. It admits two requests in each window. Further requests wait inside their
// handlers, which does not block the mailbox, until a timer message opens the next window.
//
//     $ build/release/bin/examples/36_rate_limiter
//     request 1 in window 0
//     request 2 in window 0
//     request 3 in window 1
//     request 4 in window 1
//     request 5 in window 2

// [head]
#include <cstdio>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::actor;
using namespace std::chrono_literals;
// [/head]

// [limiter]
struct Acquire {};
struct NextWindow {};

class Limiter : public Actor<Limiter> {
public:
    explicit Limiter(int per_window) : per_window_(per_window), left_(per_window) {
        send_every(10ms, NextWindow{});
    }
    // The window in which the request may go.
    Future<int> handle(Acquire) {
        const int ticket = next_ticket_++;
        while (ticket >= served_ + left_) co_await window_.wait();
        co_return window_number_;
    }
    void handle(NextWindow) {
        served_ += left_;
        left_ = per_window_;
        ++window_number_;
        window_.set();
        window_.reset();
    }

private:
    const int per_window_;
    int left_;
    int served_ = 0;
    int next_ticket_ = 0;
    int window_number_ = 0;
    Event window_;
};
// [/limiter]

// [requests]
Future<void> requests(System& system) {
    const Ref<Limiter> limiter = system.spawn<Limiter>(2);
    co_await with_scope([&](Scope& scope) -> Future<void> {
        for (int number = 1; number <= 5; ++number) {
            scope.spawn(
                [&limiter](int request) -> Future<void> {
                    const int window = co_await limiter.ask(Acquire{}, 1min);
                    std::printf("request %d in window %d\n", request, window);
                },
                number);
        }
        co_return;
    });
}
// [/requests]

int main() {
    return gyre::run([] { return with_actors(requests); });
}
