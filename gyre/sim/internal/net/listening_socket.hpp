// SPDX-License-Identifier: Apache-2.0
// ListeningSocket: a simulated socket that accepts connections. It owns the connections that are
// not accepted yet. One thread; owned by the descriptor table.
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "gyre/sim/internal/net/network.hpp"
#include "gyre/sim/internal/net/stream_socket.hpp"

namespace gyre::sim {

class ListeningSocket : public Descriptor {
public:
    ListeningSocket(Network& network, const Address& at, ListenOptions options)
        : network_(network), address_(at), options_(options) {}
    ~ListeningSocket() override;

    [[nodiscard]] const Address& address() const noexcept { return address_; }
    [[nodiscard]] const ListenOptions& options() const noexcept { return options_; }

    [[nodiscard]] Events events() const noexcept override {
        return queue_.empty() ? Events::none : Events::readable;
    }
    void on_close() override;
    [[nodiscard]] ListeningSocket* as_listener() noexcept override { return this; }
    [[nodiscard]] std::deque<std::unique_ptr<StreamSocket>> take_queue() noexcept {
        return std::exchange(queue_, {});
    }
    [[nodiscard]] MaybeResult accept(Address& peer) override;
    [[nodiscard]] MaybeResult connect(const Address& to) override;
    [[nodiscard]] MaybeResult receive(Bytes into) override;
    [[nodiscard]] MaybeResult send(ConstBytes from) override;
    [[nodiscard]] Result<Address> local_address() const override { return address_; }
    [[nodiscard]] Result<Address> remote_address() const override {
        return std::unexpected(Error(std::errc::not_connected));
    }
    // Linux allows shutdown on a listening socket.
    [[nodiscard]] Result<void> end_sending() override { return {}; }

    [[nodiscard]] Result<void> end_listening() override;

    // As on Linux, the queue holds one connection more than the backlog. A listener that completes
    // no connections any more is full for every connect.
    [[nodiscard]] bool is_full() const noexcept;
    void enqueue(std::unique_ptr<StreamSocket> connection);
    void add_waiter(StreamSocket& client) { waiters_.push_back(&client); }
    void remove_waiter(StreamSocket& client) noexcept { std::erase(waiters_, &client); }

private:
    [[nodiscard]] bool is_unix() const noexcept {
        return address_.family() == Address::Family::unix_path;
    }

    Network& network_;
    const Address address_;
    const ListenOptions options_;
    std::deque<std::unique_ptr<StreamSocket>> queue_;
    bool has_ended_ = false;
    std::vector<StreamSocket*> waiters_;  // Unix sockets whose connect waits for room in the queue
};

}  // namespace gyre::sim
