// SPDX-License-Identifier: Apache-2.0
// DebugQueue: the messages between the script's thread and that of the server. One client at a time. Any
// thread: one mutex guards all of it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "gyre/task/thread/waker.hpp"
#include "lang/script/debugger.hpp"
#include "lang/script/inspect/internal/web_socket.hpp"

namespace gyre::script {

class DebugQueue final : public DebugLink {
public:
    // Of what waits for the script, and of what waits for the client: the connection ends beyond.
    static constexpr std::size_t waiting_bytes_max = std::size_t{256} << 20u;

    // The script's side.
    void send(std::string message) override;
    [[nodiscard]] Event take() override;
    [[nodiscard]] Event wait() override;
    void end_waits() noexcept override;
    // Called on the server's thread for each event; empty: no more.
    void set_bell(std::function<void()> bell);
    // Nothing more comes from the script: the connection ends behind what waits.
    void end();

    // The server's side. False: there is a client already, or the script has ended.
    [[nodiscard]] bool open();
    // False: too much waits.
    [[nodiscard]] bool put(std::string message);
    void answer(WebSocketMessage message);
    // The client says no more: what writes to it ends; then it is gone.
    void leave();
    void close();
    // The next message for the client; nullopt: the connection is to end.
    [[nodiscard]] Poll<std::optional<WebSocketMessage>> poll_output(const Waker& waker);
    // Ready when the script has ended; and when there is no client.
    [[nodiscard]] Poll<bool> poll_end(const Waker& waker);
    [[nodiscard]] Poll<bool> poll_left(const Waker& waker);
    [[nodiscard]] bool has_ended();

private:
    void add(Event event);
    void add_output(WebSocketMessage message);
    void wake() noexcept;

    std::mutex mutex_;
    std::condition_variable has_event_;
    std::deque<Event> events_;
    std::size_t event_bytes_ = 0;
    std::deque<WebSocketMessage> output_;
    std::size_t output_bytes_ = 0;
    std::function<void()> bell_;
    std::optional<Waker> writer_;
    std::optional<Waker> ending_;
    bool has_client_ = false;
    bool is_full_ = false;  // the client does not read
    bool is_leaving_ = false;
    bool has_ended_ = false;
    bool has_ended_waits_ = false;
};

}  // namespace gyre::script
