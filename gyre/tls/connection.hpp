// SPDX-License-Identifier: Apache-2.0
// Connection: a TLS connection over another ByteStream, which it owns.
//
//     tls::Context context(tls::ClientOptions{});
//     net::Connection socket = co_await net::connect(Address::loopback(8443));
//     auto stream = co_await timeout(tls::connect(context, std::move(socket), "example.org"), 5s);
//     co_await stream->aclose();
//
// Thread: the loop's thread; one task may read while another one writes.
// Lifetime: the Context outlives it; it outlives the futures of its members.
// Cancel: each member names its cancel class.
//
// Call `finish` or `aclose` before destroying it: they send the close_notify alert. Without it the
// peer must assume a truncation; here a missing alert is TlsError (truncated). The protocol between
// the two directions is described in connection.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gyre/net/byte_stream.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {

enum class Wants : std::uint8_t;

class Connection final : public net::ByteStream {
public:
    // Call `handshake` before anything else; `connect` and `accept` below do it.
    Connection(Context& context, std::unique_ptr<net::ByteStream> below,
               const std::string& server_name = {});
    ~Connection() override;

    // Cancel class: did part; the stream can only be closed then.
    [[nodiscard]] Future<void> handshake();
    // Sends close_notify and closes the stream below; a peer that has closed already is no error.
    // No other task may be reading or writing. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

    // The results of the handshake.
    [[nodiscard]] std::string_view protocol() const noexcept;  // ALPN; empty: none
    [[nodiscard]] std::string_view version() const noexcept;   // "TLSv1.3"
    [[nodiscard]] bool is_resumed() const noexcept;
    // On a server: the name the client asked for (SNI); empty: none.
    [[nodiscard]] std::string_view server_name() const noexcept;
    // The subject of the peer's certificate: "CN=alice"; empty: it sent none.
    [[nodiscard]] std::string peer_subject() const;

    [[nodiscard]] std::size_t held_bytes() const noexcept override;

    // For tests.
    [[nodiscard]] const Engine& engine() const noexcept { return *engine_; }

private:
    [[nodiscard]] Future<std::size_t> do_read(Bytes into) override;
    // Bytes taken from the views of a cancelled write are encrypted, and are sent first by the next
    // write, finish or read.
    [[nodiscard]] Future<void> do_write_pieces(std::span<ConstBytes> pieces) override;
    // Sends close_notify and shuts down the writing side below; reading goes on. Cancel class: did
    // part; a second call continues.
    [[nodiscard]] Future<void> do_finish() override;
    [[nodiscard]] Future<void> flush();
    [[nodiscard]] Future<void> pull(std::size_t seen_count);
    [[nodiscard]] Future<void> satisfy(Wants wants);

    std::unique_ptr<net::ByteStream> below_;
    std::unique_ptr<Engine> engine_;
    Mutex sending_{"the sending side of a TLS stream"};
    Mutex receiving_{"the receiving side of a TLS stream"};
    std::size_t input_count_ = 0;  // receives from below so far
};

// Client handshake with a server whose certificate must be valid for server_name, a name or a
// numeric address; server handshake. Cancel class: did part; the stream below is closed.
[[nodiscard]] Future<std::unique_ptr<Connection>> connect(Context& context, net::Connection below,
                                                          std::string server_name);
[[nodiscard]] Future<std::unique_ptr<Connection>> connect(Context& context,
                                                          std::unique_ptr<net::ByteStream> below,
                                                          std::string server_name);
[[nodiscard]] Future<std::unique_ptr<Connection>> accept(Context& context, net::Connection below);

}  // namespace gyre::tls
