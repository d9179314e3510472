// SPDX-License-Identifier: Apache-2.0
// Engine: one TLS connection as a machine without a loop: bytes of the network go in and come out,
// bytes of the user go in and come out, and nothing waits. tls::Stream drives it. It belongs to one
// thread; its Context outlives it.
//
// What has to go to the network stands in `output`, whatever was called. Both directions have a
// buffer of a fixed size: a call that cannot go on says what it `wants`. What fails throws
// TlsError; after that only `output` is of use, which may hold the alert that tells the peer.
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
    nothing,  // it is done
    input,    // bytes from the network
    room      // output must go first
};

struct Step {
    std::size_t size = 0;
    Wants wants = Wants::nothing;
};

class Engine {
public:
    // So many bytes from the network are taken at once, where it wants them.
    static constexpr std::size_t input_bytes_max = std::size_t{16} << 10U;

    // A client names the server, which must have a certificate for it: a name, or an address in
    // numbers. For a server it is empty.
    explicit Engine(Context& context, const std::string& server_name = {});
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] Wants handshake();
    // Size 0, wanting nothing: the peer has said that this is the end. Without that word the end of
    // the input is TlsError (truncated).
    [[nodiscard]] Step read(Bytes into);
    // How much was taken; where that is not all, it may want something first.
    [[nodiscard]] Step write(ConstBytes from);
    // Says that nothing more will be written. Reading goes on.
    [[nodiscard]] Wants close();

    // Whether a read would want input, and do nothing else.
    [[nodiscard]] bool needs_input() const noexcept;
    // From the network, at most input_bytes_max, when it wants input.
    void give_input(ConstBytes bytes);
    // The same without a copy: where to put the bytes, and how many were put there.
    [[nodiscard]] Bytes input_room() noexcept;
    void input_came(std::size_t size) noexcept;
    // The network has no more.
    void end_input() noexcept;
    // For the network: the first of it, in one piece. The view lasts until `output_went`.
    [[nodiscard]] ConstBytes output() const noexcept;
    void output_went(std::size_t size) noexcept;

    // When the handshake is done.
    [[nodiscard]] std::string_view protocol() const noexcept;  // of ALPN; empty: none
    [[nodiscard]] std::string_view version() const noexcept;   // "TLSv1.3"
    [[nodiscard]] bool is_resumed() const noexcept;
    // A server: which name the client asked for; empty: none.
    [[nodiscard]] std::string_view server_name() const noexcept;
    // Of the peer's certificate: "CN=alice"; empty where it has shown none.
    [[nodiscard]] std::string peer_subject() const;

private:
    class Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::tls
