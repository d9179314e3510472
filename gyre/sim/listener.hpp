// SPDX-License-Identifier: Apache-2.0
// Listener: a simulated socket that takes connections. It belongs to the descriptor table, and owns
// the connections that nobody has accepted yet. One thread.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "gyre/sim/network.hpp"
#include "gyre/sim/stream_socket.hpp"

namespace gyre::sim {

class Listener : public Descriptor {
public:
    Listener(Network& network, const Address& at, ListenOptions options)
        : network_(network), address_(at), options_(options) {}
    ~Listener() override;

    [[nodiscard]] const Address& address() const noexcept { return address_; }
    [[nodiscard]] const ListenOptions& options() const noexcept { return options_; }

    [[nodiscard]] Events events() const noexcept override {
        return queue_.empty() ? Events::none : Events::readable;
    }
    void on_close() override;
    [[nodiscard]] Attempt accept(Address& peer) override;
    [[nodiscard]] Attempt connect(const Address& to) override;
    [[nodiscard]] Attempt receive(Bytes into) override;
    [[nodiscard]] Attempt send(ConstBytes from) override;
    [[nodiscard]] Result<Address> local_address() const override { return address_; }
    [[nodiscard]] Result<Address> remote_address() const override {
        return std::unexpected(Error(std::errc::not_connected));
    }
    // It sends nothing, and the system lets it say so.
    [[nodiscard]] Result<void> end_sending() override { return {}; }

    // As on Linux one more than the backlog says.
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
    std::vector<StreamSocket*> waiters_;  // Unix sockets that found it full
};

}  // namespace gyre::sim
