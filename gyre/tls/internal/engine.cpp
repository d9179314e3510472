// SPDX-License-Identifier: Apache-2.0
// OpenSSL between two buffers: a BIO reads the input buffer and writes the output buffer, as if
// they were a socket; a call is repeated when they have bytes or room. An empty buffer is filled
// from its beginning again, so that a quiet connection touches little memory.
//
// A write leaves room for one more record in the output. So the reply of a read to a key update
// always fits, and no record is ever written partially: OpenSSL never has to see the same plaintext
// twice, and the user may change what a write did not take.
#include "gyre/tls/internal/engine.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/tls/internal/buffer_bio.hpp"
#include "gyre/tls/internal/context_state.hpp"

namespace gyre::tls {
namespace {

constexpr std::size_t data_bytes_max = std::size_t{16} << 10U;  // of a record
constexpr std::size_t record_bytes_max = data_bytes_max + 1024;
constexpr std::size_t output_bytes_max = 2 * record_bytes_max + 1024;
// What OpenSSL 3 holds for a connection, measured: its object, the session, a buffer a direction.
constexpr std::size_t openssl_bytes = std::size_t{48} << 10U;
constexpr std::size_t close_notify_bytes_max = 1024;

}  // namespace

class Engine::State {
public:
    State(Context::State& context, std::string name) : context_(context), name_(std::move(name)) {
        if (!context.is_server()) begin_connection();
    }

    // OpenSSL drops the session of a connection without close_notify, which RFC 8446 no longer asks
    // for: mark it as sent unless the connection failed.
    ~State() {
        if (is_established && !failure_) {
            SSL_set_shutdown(connection_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        }
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    [[nodiscard]] SSL* connection() {
        if (connection_ == nullptr) begin_connection();
        return connection_.get();
    }
    // A server that has received nothing yet: OpenSSL would hold three buffers for it.
    [[nodiscard]] bool waits_for_first_input() const noexcept {
        return connection_ == nullptr && buffers_.input.empty() && !is_input_ended_;
    }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return buffers_.input.capacity() + buffers_.output.capacity() +
               (connection_ == nullptr ? 0 : openssl_bytes);
    }
    [[nodiscard]] Buffer& input() noexcept { return buffers_.input; }
    [[nodiscard]] Buffer& output() noexcept { return buffers_.output; }
    [[nodiscard]] std::size_t room() const noexcept { return buffers_.output.room_bytes(); }
    [[nodiscard]] bool needs_input() const noexcept {
        if (!buffers_.input.empty() || is_input_ended_ || failure_) return false;
        return SSL_has_pending(connection_.get()) == 0 &&
               (SSL_get_shutdown(connection_.get()) & SSL_RECEIVED_SHUTDOWN) == 0;
    }

    // Before each call that may fail: clears stale errors of other users from the thread's queue.
    // Clearing an empty queue is slow, so it is checked first.
    void begin() const {
        if (failure_) throw TlsError(*failure_);
        if (ERR_peek_error() != 0) ERR_clear_error();
    }
    // What a call that returned `result` wants; throws on an error.
    [[nodiscard]] Wants reason_of(int result) {
        switch (SSL_get_error(connection_.get(), result)) {
            case SSL_ERROR_WANT_READ:
                if (is_input_ended_) fail_truncated();
                return Wants::input;
            case SSL_ERROR_WANT_WRITE:
                return Wants::room;
            default:
                fail(take_error());
        }
    }
    // After the handshake there is always room, unless the peer floods with key updates.
    [[nodiscard]] Wants reason_of_transfer(int result) {
        const Wants wants = reason_of(result);
        if (wants != Wants::room) return wants;
        throw failure_.emplace(TlsError::Kind::protocol, "the peer asks for too many new keys");
    }
    void end_input() noexcept { is_input_ended_ = true; }

    bool is_closed = false;
    bool is_established = false;

private:
    void begin_connection() {
        connection_ = context_.make_connection(name_);
        BIO* const bio = make_buffer_bio(buffers_).release();
        SSL_set_bio(connection_.get(), bio, bio);
    }
    [[noreturn]] void fail_truncated() {
        throw failure_.emplace(TlsError::Kind::truncated,
                               is_established ? "the connection ended without a "
                                                "close_notify: the data may be truncated"
                                              : "the connection ended in the handshake");
    }
    [[noreturn]] void fail(unsigned long code) {
        const int reason = ERR_GET_REASON(code);
        const bool is_own = ERR_GET_LIB(code) == ERR_LIB_SSL;
        if (is_own && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
            const long why = SSL_get_verify_result(connection_.get());
            std::string text = "the certificate of the peer is refused: ";
            text += X509_verify_cert_error_string(why);
            throw failure_.emplace(TlsError::Kind::certificate, std::move(text));
        }
        if (is_own && reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
            throw failure_.emplace(TlsError::Kind::certificate, "the peer has no certificate");
        }
        // The alert of the peer is reported as this offset plus its number.
        if (is_own && reason >= SSL_AD_REASON_OFFSET) {
            throw failure_.emplace(TlsError::Kind::refused,
                                   "the peer refused: " + text_of_error(code));
        }
        throw failure_.emplace(TlsError::Kind::protocol, "TLS failed: " + text_of_error(code));
    }

    Context::State& context_;
    const std::string name_;
    Buffers buffers_{Buffer(input_bytes_max), Buffer(output_bytes_max)};
    OwnedSsl connection_;
    std::optional<TlsError> failure_;
    bool is_input_ended_ = false;
};

Engine::Engine(Context& context, const std::string& server_name)
    : state_(std::make_unique<State>(*context.state_, server_name)) {}
Engine::~Engine() = default;

Wants Engine::handshake() {
    state_->begin();
    if (state_->waits_for_first_input()) return Wants::input;
    const int result = SSL_do_handshake(state_->connection());
    if (result != 1) return state_->reason_of(result);
    state_->is_established = true;
    return Wants::nothing;
}

Step Engine::read(Bytes into) {
    GYRE_ASSERT(state_->is_established,
                "read before the handshake is done: call handshake() until it wants nothing");
    state_->begin();
    std::size_t size = 0;
    const int result = SSL_read_ex(state_->connection(), into.data(), into.size(), &size);
    if (result == 1) return {.size = size};
    if (SSL_get_error(state_->connection(), result) == SSL_ERROR_ZERO_RETURN) return {};
    return {.wants = state_->reason_of_transfer(result)};
}

Step Engine::write(ConstBytes from) {
    GYRE_ASSERT(state_->is_established,
                "write before the handshake is done: call handshake() until it wants nothing");
    state_->begin();
    if (state_->room() < record_bytes_max + 1024) return {.wants = Wants::room};
    std::size_t size = 0;
    const int result = SSL_write_ex(state_->connection(), from.data(),
                                    std::min(from.size(), data_bytes_max), &size);
    if (result == 1) return {.size = size};
    return {.wants = state_->reason_of_transfer(result)};
}

Wants Engine::close() {
    state_->begin();
    if (state_->is_closed || !state_->is_established) return Wants::nothing;
    if (state_->room() < close_notify_bytes_max) return Wants::room;
    // Not possible in the middle of a key update.
    if (SSL_in_init(state_->connection()) != 0) return Wants::input;
    const int result = SSL_shutdown(state_->connection());
    if (result < 0) return state_->reason_of_transfer(result);
    state_->is_closed = true;
    return Wants::nothing;
}

void Engine::give_input(ConstBytes bytes) {
    const Bytes room = state_->input().make_room();
    GYRE_ASSERT(
        bytes.size() <= room.size(),
        "%zu bytes of input for a buffer with room for %zu: give input only when it is wanted",
        bytes.size(), room.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    input_added(bytes.size());
}

Bytes Engine::input_room() {
    GYRE_ASSERT(state_->input().empty(), "input_room while input is left: read first");
    const Bytes room = state_->input().make_first_room();
    if (room.empty()) throw std::bad_alloc();
    return room;
}

std::size_t Engine::held_bytes() const noexcept {
    return state_->held_bytes();
}

void Engine::input_added(std::size_t size) noexcept {
    state_->input().add(size);
}

bool Engine::needs_input() const noexcept {
    return state_->needs_input();
}

void Engine::end_input() noexcept {
    state_->end_input();
}

ConstBytes Engine::output() const noexcept {
    return state_->output().bytes();
}

void Engine::output_sent(std::size_t size) noexcept {
    GYRE_ASSERT(size <= state_->output().bytes().size(),
                "more output was sent than there is: pass at most output().size()");
    state_->output().take(size);
}

std::string_view Engine::protocol() const noexcept {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(state_->connection(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

std::string_view Engine::version() const noexcept {
    return SSL_get_version(state_->connection());
}

bool Engine::is_resumed() const noexcept {
    return SSL_session_reused(state_->connection()) == 1;
}

std::string_view Engine::server_name() const noexcept {
    const char* name = SSL_get_servername(state_->connection(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : std::string_view();
}

std::string Engine::peer_subject() const {
    X509* const certificate = SSL_get0_peer_certificate(state_->connection());
    if (certificate == nullptr) return {};
    const OwnedBio text(BIO_new(BIO_s_mem()));
    require(text != nullptr);
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
    char* first = nullptr;
    const long size = BIO_get_mem_data(text.get(), &first);
    return {first, static_cast<std::size_t>(size)};
}

}  // namespace gyre::tls
