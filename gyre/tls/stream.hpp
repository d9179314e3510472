// SPDX-License-Identifier: Apache-2.0
// Stream: an encrypted connection over another stream of bytes, which it owns. It is a ByteStream:
// what is written over a socket works over it. It belongs to its loop's thread; one task may
// receive while another one sends.
//
//     net::Stream socket = co_await net::connect(address);
//     auto stream = co_await timeout(tls::connect(context, std::move(socket), "example.org"), 5s);
//
// Without `finish` or `aclose` the peer is not told of the end, and takes it for an accident; the
// same accident is TlsError (truncated) here. The protocol that the two directions follow stands in
// stream.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "gyre/net/byte_stream.hpp"
#include "gyre/net/stream.hpp"
#include "gyre/task/mutex.hpp"
#include "gyre/tls/engine.hpp"

namespace gyre::tls {

class Stream final : public net::ByteStream {
public:
    // Before anything else the handshake must be done: `connect` and `accept` give streams on which
    // it is.
    Stream(Context& context, std::unique_ptr<net::ByteStream> below,
           const std::string& server_name = {});

    // Cancel class: did part; only closing is of use then.
    [[nodiscard]] Future<void> handshake();
    // Cancel class: did nothing, no byte is taken.
    [[nodiscard]] Future<std::size_t> receive(Bytes into) override;
    // Cancel class: did part: the views say what is left. What they no longer have is encrypted,
    // and goes out before anything else, with the next send, finish or receive.
    [[nodiscard]] Future<void> send(std::span<ConstBytes> pieces) override;
    // Tells the peer that this is the end, and ends the sending side below; receiving goes on.
    // Cancel class: did part; a second call goes on with it.
    [[nodiscard]] Future<void> finish() override;
    // Says so and closes the stream below; a peer that can no longer be told is no error. Nobody
    // may receive or send meanwhile. Cancel class: closes all the same.
    [[nodiscard]] Future<void> aclose();

    // What the handshake has agreed on.
    [[nodiscard]] const Engine& engine() const noexcept { return engine_; }

private:
    [[nodiscard]] Future<void> flush();
    [[nodiscard]] Future<void> pull(std::size_t seen_count);
    [[nodiscard]] Future<void> satisfy(Wants wants);

    std::unique_ptr<net::ByteStream> below_;
    Engine engine_;
    Mutex sending_{"the sending side of a TLS stream"};
    Mutex receiving_{"the receiving side of a TLS stream"};
    std::size_t input_count_ = 0;  // how often something came from below
};

// As a client, of a server that has a certificate for this name; as a server. Cancel class: did
// part; the stream below is closed.
[[nodiscard]] Future<std::unique_ptr<Stream>> connect(Context& context, net::Stream below,
                                                      std::string server_name);
[[nodiscard]] Future<std::unique_ptr<Stream>> connect(Context& context,
                                                      std::unique_ptr<net::ByteStream> below,
                                                      std::string server_name);
[[nodiscard]] Future<std::unique_ptr<Stream>> accept(Context& context, net::Stream below);

}  // namespace gyre::tls
