// SPDX-License-Identifier: Apache-2.0
// Engine: the state machine of one TLS connection, without I/O: ciphertext goes in and out through
// buffers, plaintext through read and write, and nothing blocks. tls::Connection drives it. Thread:
// one; its Context outlives it.
//
// Bytes for the network are in `output`, whichever call produced them. Both buffers have a fixed
// size: a call that cannot proceed returns what it `wants`. Failures throw TlsError; after that
// only `output` is useful, which may hold the alert for the peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {

enum class Wants : std::uint8_t {
    nothing,  // done
    input,    // bytes from the network
    room      // output must be sent first
};

struct Step {
    std::size_t size = 0;
    Wants wants = Wants::nothing;
};

class Engine {
public:
    // The size of the input buffer.
    static constexpr std::size_t input_bytes_max = std::size_t{16} << 10U;

    // A client passes the name or the numeric address that the server's certificate must be valid
    // for; a server passes nothing.
    explicit Engine(Context& context, const std::string& server_name = {});
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] Wants handshake();
    // Size 0, wanting nothing: the peer sent close_notify. Without it the end of the input is
    // TlsError (truncated).
    [[nodiscard]] Step read(Bytes into);
    // Returns how many bytes were taken; if not all, it may want something first.
    [[nodiscard]] Step write(ConstBytes from);
    // Produces close_notify. Reading goes on.
    [[nodiscard]] Wants close();

    // A read would only return Wants::input.
    [[nodiscard]] bool needs_input() const noexcept;
    // Adds ciphertext, at most input_bytes_max, when it wants input.
    void give_input(ConstBytes bytes);
    // The same without a copy: the free buffer, then the number of bytes written to it.
    // Throws bad_alloc.
    [[nodiscard]] Bytes input_room();
    void input_added(std::size_t size) noexcept;
    // The stream below has ended.
    void end_input() noexcept;
    // Ciphertext to send. The view is valid until `output_sent`.
    [[nodiscard]] ConstBytes output() const noexcept;
    void output_sent(std::size_t size) noexcept;

    // The memory of buffers and of OpenSSL. A server that has received nothing has one small buffer.
    [[nodiscard]] std::size_t held_bytes() const noexcept;

    // After the handshake.
    [[nodiscard]] std::string_view protocol() const noexcept;  // ALPN; empty: none
    [[nodiscard]] std::string_view version() const noexcept;   // "TLSv1.3"
    [[nodiscard]] bool is_resumed() const noexcept;
    // On a server: the name the client asked for (SNI); empty: none.
    [[nodiscard]] std::string_view server_name() const noexcept;
    // The subject of the peer's certificate: "CN=alice"; empty: it sent none.
    [[nodiscard]] std::string peer_subject() const;

private:
    class State;

    std::unique_ptr<State> state_;
};

}  // namespace gyre::tls
