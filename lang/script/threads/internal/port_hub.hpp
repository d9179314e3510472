// SPDX-License-Identifier: Apache-2.0
// PortHub: the message ports of all scripts of a program. A port has a queue of messages and one end
// at another port, or belongs to a named group, where each message goes to all the others. Its
// script hears of messages as events, one for each, once it has started the port.
//
// Any thread: one mutex guards all of it. It lives as long as the last script that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/script/engine.hpp"

namespace gyre::script {

class Script;

// Where other threads put events for one script. `close` before the script ends.
class ThreadInbox {
public:
    explicit ThreadInbox(Script& script) : script_(&script) {}
    // Calls onDone(id, number, text) of the library. Dropped after close.
    void put(double id, double number, std::string text = {});
    void close();

private:
    friend class PortHub;
    std::mutex mutex_;
    Script* script_;
};

class PortHub {
public:
    using PortId = std::uint64_t;
    static constexpr std::size_t port_count_max = 1'000'000;
    // Of all messages that wait, and of the messages of one port.
    static constexpr std::size_t waiting_bytes_max = std::size_t{1} << 30u;
    static constexpr std::size_t waiting_count_max = std::size_t{1} << 18u;

    struct Message {
        std::string text;
        std::vector<std::byte> bytes;
        std::vector<PortId> ports;
        std::vector<std::shared_ptr<SharedMemory>> shared;
        [[nodiscard]] std::size_t size_bytes() const noexcept { return text.size() + bytes.size(); }
    };
    // `closed`: nobody will take the message, which is dropped with its ports.
    enum class Posted : std::uint8_t { done, closed, full };
    enum Event : std::uint8_t { message_came = 1, port_closed = 2 };

    // Two ports that are each other's end, the second one above the first; 0: too many are open.
    [[nodiscard]] PortId open_pair();
    [[nodiscard]] PortId open_member(const std::string& group);
    // `inbox` hears of the port from now on; messages only after start.
    void attach(PortId port, const std::shared_ptr<ThreadInbox>& inbox, double event);
    void start(PortId port);
    // Nobody hears of the port until it is attached again.
    void detach(PortId port);
    [[nodiscard]] Posted post(PortId from, Message message);
    [[nodiscard]] std::optional<Message> take(PortId port);
    void close(PortId port);
    // Its script hears that the port is closed, behind its messages.
    void tell_closed(PortId port);
    // The script ends: closes its ports.
    void drop(const std::shared_ptr<ThreadInbox>& inbox);

    [[nodiscard]] int next_thread() { return ++last_thread_; }

private:
    struct Port {
        PortId peer = 0;
        std::string group;
        std::deque<Message> messages;
        std::shared_ptr<ThreadInbox> owner;
        double event = 0;
        bool is_started = false;
        bool is_peer_closed = false;
    };
    [[nodiscard]] Posted post_to(Port& target, Message message);
    void close_locked(PortId port);
    void drop_message(Message& message);
    static void tell(const Port& port, Event event);

    std::mutex mutex_;
    std::unordered_map<PortId, Port> ports_;
    std::map<std::string, std::vector<PortId>> groups_;
    std::size_t waiting_bytes_ = 0;
    PortId last_ = 0;
    int last_thread_ = 0;
};

}  // namespace gyre::script
