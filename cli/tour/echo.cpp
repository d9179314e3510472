// SPDX-License-Identifier: Apache-2.0
// A TCP connection over the loopback: a client sends a known pattern, a server sends it back, and
// the client compares every byte.
#include <algorithm>
#include <vector>

#include "cli/tour/stage.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;
constexpr Duration sending_lasts = 400ms;

// Echoes what it receives until the peer closes.
class Server : public Machine {
public:
    Server() : Machine("server"), buffer_(buffer_bytes) {}

    void start(Fd listener) {
        accept_.fd = listener;
        submit(accept_);
    }

private:
    void tick(Instant /*now*/) override {
        while (const Op* op = next_completion()) {
            const auto count = static_cast<std::size_t>(std::max(op->result(), 0));
            if (op == &accept_ && op->result() >= 0) {
                receive_.fd = send_.fd = close_.fd = op->result();
                submit(receive_);
            } else if (op == &receive_ && count > 0) {
                send_.buffer = receive_.buffer.first(count);
                submit(send_);
            } else if (op == &send_ && count > 0) {
                send_.buffer = send_.buffer.subspan(count);
                send_.buffer.empty() ? submit(receive_) : submit(send_);
            } else if (op != &close_) {
                submit(close_);
            }
        }
    }

    std::vector<std::byte> buffer_;
    AcceptOp accept_{-1};
    ReceiveOp receive_{-1, buffer_};
    SendOp send_{-1, {}};
    CloseOp close_{-1};
};

// Sends for a while and compares what comes back.
class Client : public Machine {
public:
    Client() : Machine("client"), pattern_(2 * buffer_bytes), buffer_(buffer_bytes) {
        // The pattern twice, so that a full buffer can start anywhere in the first half.
        for (std::size_t i = 0; i < pattern_.size(); ++i) {
            pattern_[i] = static_cast<std::byte>((i % buffer_bytes) * 31 % 251);
        }
    }

    void start(Sockets& sockets, const Address& server) {
        sockets_ = &sockets;
        connect_.fd = send_.fd = receive_.fd = close_.fd = sockets.stream(server.family()).value();
        connect_.to = server;
        submit(connect_);
    }

    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::int32_t error = 0;
    bool is_same = true;

private:
    void tick(Instant now) override {
        while (const Op* op = next_completion()) {
            if (op == &close_) continue;
            if (op->result() < 0) error = op->result();
            const auto count = static_cast<std::size_t>(std::max(op->result(), 0));
            if (op == &connect_ && error == 0) {
                ends_at_ = now + sending_lasts;
                send_next(now);
                submit(receive_);
            } else if (op == &send_ && error == 0) {
                sent += count;
                send_next(now);
            } else if (op == &receive_ && count > 0) {
                compare(receive_.buffer.first(count));
                submit(receive_);
            } else if (!close_.is_in_flight() && op != &send_) {
                submit(close_);
            }
        }
    }

    void send_next(Instant now) {
        if (now >= ends_at_) {
            if (const auto ended = sockets_->end_sending(send_.fd); !ended) {
                error = ended.error().as_result();
            }
            return;
        }
        send_.buffer = ConstBytes(pattern_).subspan(sent % buffer_bytes, buffer_bytes);
        submit(send_);
    }

    void compare(ConstBytes bytes) {
        const ConstBytes wanted =
            ConstBytes(pattern_).subspan(received % buffer_bytes, bytes.size());
        is_same = is_same && std::ranges::equal(bytes, wanted);
        received += bytes.size();
    }

    std::vector<std::byte> pattern_;
    std::vector<std::byte> buffer_;
    Sockets* sockets_ = nullptr;
    Instant ends_at_;
    ConnectOp connect_{-1, {}};
    SendOp send_{-1, {}};
    ReceiveOp receive_{-1, buffer_};
    CloseOp close_{-1};
};

// Sends the ops of its children to the platform.
class Wire : public Machine {
public:
    Wire() : Machine("wire") {
        add_child(server);
        add_child(client);
    }

    Server server;
    Client client;

private:
    void tick(Instant /*now*/) override {}
    void on_child_output(Machine& /*child*/, Op& op, Lane lane) override {
        if (lane == Lane::submissions) op.set_destination(platform_ref());
        forward(op, lane);
    }
};

}  // namespace

bool show_echo(const Stage& stage) {
    stage.page.say(
        "A server and a client on one loop, connected by TCP. The client sends as fast as "
        "it can and compares every byte that comes back.");
    const auto platform = stage.make_platform();
    Sockets& sockets = platform->environment()->sockets();
    Wire wire;
    Loop loop(*platform, wire, stage.loop_options("echo"));
    const Fd listener = sockets.listen(Address::loopback(), {}).value();
    const Address address = sockets.local_address(listener).value();
    const Instant start = stage.clock.now();
    wire.server.start(listener);
    wire.client.start(sockets, address);
    loop.run();
    const double seconds = std::chrono::duration<double>(stage.clock.now() - start).count();
    sockets.close_now(listener);
    const Client& client = wire.client;
    if (client.error != 0) {
        stage.page.failed("The connection failed: " + Error::of_result(client.error).message());
        return false;
    }
    const auto rate = static_cast<double>(client.sent + client.received) / seconds;
    stage.page.saw(bytes_in_words(client.sent) + " went out and " +
                   bytes_in_words(client.received) + " came back" +
                   (client.is_same ? ", every byte as it was sent" : ", but not the same") + ": " +
                   bytes_in_words(static_cast<std::uint64_t>(rate)) + " a second.");
    return client.is_same && client.sent > 0 && client.sent == client.received;
}

}  // namespace gyre::cli
