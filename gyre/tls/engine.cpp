// SPDX-License-Identifier: Apache-2.0
// OpenSSL between two buffers: it reads from the one and writes to the other through a BIO, as if
// they were a socket, and is asked again when they have bytes or room. A buffer is filled from its
// beginning whenever it is empty, so that a connection with little to say touches little memory.
//
// The output has room for a record beyond what a write fills it to. So whatever a read has to say
// (to an update of keys) finds room, and no record is ever written in half: what a write has taken
// is out of the user's hands, what it has not taken the user may change.
#include "gyre/tls/engine.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/tls/internal/context_inside.hpp"

namespace gyre::tls {
namespace {

constexpr std::size_t data_bytes_max = std::size_t{16} << 10U;  // of a record
constexpr std::size_t record_bytes_max = data_bytes_max + 1024;
constexpr std::size_t output_bytes_max = 2 * record_bytes_max + 1024;
constexpr std::size_t farewell_bytes_max = 1024;

// Bytes in the order in which they came. They stay where they are until they are taken.
class Buffer {
public:
    explicit Buffer(std::size_t size_max)
        : memory_(std::make_unique_for_overwrite<std::byte[]>(size_max)), size_max_(size_max) {}

    [[nodiscard]] ConstBytes bytes() const noexcept { return {&memory_[begin_], end_ - begin_}; }
    [[nodiscard]] Bytes room() noexcept { return {memory_.get() + end_, size_max_ - end_}; }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    void add(std::size_t size) noexcept { end_ += size; }
    void take(std::size_t size) noexcept {
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_max_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

struct Buffers {
    Buffer input{Engine::input_bytes_max};
    Buffer output{output_bytes_max};
};

Buffers& buffers_of(BIO* bio) noexcept {
    return *static_cast<Buffers*>(BIO_get_data(bio));
}

int read_input(BIO* bio, char* into, int size) noexcept {
    BIO_clear_retry_flags(bio);
    Buffer& input = buffers_of(bio).input;
    if (input.empty()) {
        BIO_set_retry_read(bio);
        return -1;
    }
    const std::size_t count = std::min(static_cast<std::size_t>(size), input.bytes().size());
    std::memcpy(into, input.bytes().data(), count);
    input.take(count);
    return static_cast<int>(count);
}

int write_output(BIO* bio, const char* from, int size) noexcept {
    BIO_clear_retry_flags(bio);
    Buffer& output = buffers_of(bio).output;
    const Bytes room = output.room();
    if (room.empty()) {
        BIO_set_retry_write(bio);
        return -1;
    }
    const std::size_t count = std::min(static_cast<std::size_t>(size), room.size());
    std::memcpy(room.data(), from, count);
    output.add(count);
    return static_cast<int>(count);
}

// There is nothing to flush, and it has no other properties.
long control(BIO* /*bio*/, int command, long /*number*/, void* /*thing*/) noexcept {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// The same for all, and for as long as the program.
const BIO_METHOD* buffers_method() {
    static const std::unique_ptr<BIO_METHOD, FreeBy<&BIO_meth_free>> method = [] {
        std::unique_ptr<BIO_METHOD, FreeBy<&BIO_meth_free>> made(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "two buffers"));
        require(made != nullptr);
        BIO_meth_set_read(made.get(), &read_input);
        BIO_meth_set_write(made.get(), &write_output);
        BIO_meth_set_ctrl(made.get(), &control);
        return made;
    }();
    return method.get();
}

}  // namespace

class Engine::Inside {
public:
    Inside(Context::Inside& context, std::string name)
        : name_(std::move(name)), connection_(context.make_connection(name_)) {
        BIO* const bio = BIO_new(buffers_method());
        require(bio != nullptr);
        BIO_set_data(bio, &buffers_);
        BIO_set_init(bio, 1);
        SSL_set_bio(connection_.get(), bio, bio);
    }

    // A session may be gone on with unless something went wrong: RFC 8446 no longer asks for a
    // farewell, of which OpenSSL wants to hear.
    ~Inside() {
        if (is_established && !failure_) {
            SSL_set_shutdown(connection_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        }
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    [[nodiscard]] SSL* connection() const noexcept { return connection_.get(); }
    [[nodiscard]] Buffer& input() noexcept { return buffers_.input; }
    [[nodiscard]] Buffer& output() noexcept { return buffers_.output; }
    [[nodiscard]] std::size_t room() noexcept { return buffers_.output.room().size(); }
    [[nodiscard]] bool needs_input() const noexcept {
        if (!buffers_.input.empty() || is_input_ended_ || failure_) return false;
        return SSL_has_pending(connection_.get()) == 0 &&
               (SSL_get_shutdown(connection_.get()) & SSL_RECEIVED_SHUTDOWN) == 0;
    }

    // Before each call that may fail: what others have left in the queue would be taken for its
    // error. To empty an empty queue is dear.
    void begin() const {
        if (failure_) throw TlsError(*failure_);
        if (ERR_peek_error() != 0) ERR_clear_error();
    }
    // Why a call gave this; throws where it is an error.
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
    // After the handshake there is always room: only a peer that floods can use it up.
    [[nodiscard]] Wants reason_of_transfer(int result) {
        const Wants wants = reason_of(result);
        if (wants != Wants::room) return wants;
        throw failure_.emplace(TlsError::Kind::protocol, "the peer asks for too many new keys");
    }
    void end_input() noexcept { is_input_ended_ = true; }

    bool is_closed = false;
    bool is_established = false;

private:
    [[noreturn]] void fail_truncated() {
        throw failure_.emplace(TlsError::Kind::truncated,
                               is_established ? "the connection ended without a farewell "
                                                "(close_notify): what came may be cut short"
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
        // What the peer has said has its number behind this one.
        if (is_own && reason >= SSL_AD_REASON_OFFSET) {
            throw failure_.emplace(TlsError::Kind::refused,
                                   "the peer refused: " + text_of_error(code));
        }
        throw failure_.emplace(TlsError::Kind::protocol, "TLS failed: " + text_of_error(code));
    }

    const std::string name_;
    Buffers buffers_;
    OwnedSsl connection_;
    std::optional<TlsError> failure_;
    bool is_input_ended_ = false;
};

Engine::Engine(Context& context, const std::string& server_name)
    : inside_(std::make_unique<Inside>(*context.inside_, server_name)) {}
Engine::~Engine() = default;

Wants Engine::handshake() {
    inside_->begin();
    const int result = SSL_do_handshake(inside_->connection());
    if (result != 1) return inside_->reason_of(result);
    inside_->is_established = true;
    return Wants::nothing;
}

Step Engine::read(Bytes into) {
    GYRE_ASSERT(inside_->is_established, "read after the handshake");
    inside_->begin();
    std::size_t size = 0;
    const int result = SSL_read_ex(inside_->connection(), into.data(), into.size(), &size);
    if (result == 1) return {.size = size};
    if (SSL_get_error(inside_->connection(), result) == SSL_ERROR_ZERO_RETURN) return {};
    return {.wants = inside_->reason_of_transfer(result)};
}

Step Engine::write(ConstBytes from) {
    GYRE_ASSERT(inside_->is_established, "write after the handshake");
    inside_->begin();
    if (inside_->room() < record_bytes_max + 1024) return {.wants = Wants::room};
    std::size_t size = 0;
    const int result = SSL_write_ex(inside_->connection(), from.data(),
                                    std::min(from.size(), data_bytes_max), &size);
    if (result == 1) return {.size = size};
    return {.wants = inside_->reason_of_transfer(result)};
}

Wants Engine::close() {
    inside_->begin();
    if (inside_->is_closed || !inside_->is_established) return Wants::nothing;
    if (inside_->room() < farewell_bytes_max) return Wants::room;
    // In the middle of a message about keys there is no place for it.
    if (SSL_in_init(inside_->connection()) != 0) return Wants::input;
    const int result = SSL_shutdown(inside_->connection());
    if (result < 0) return inside_->reason_of_transfer(result);
    inside_->is_closed = true;
    return Wants::nothing;
}

void Engine::give_input(ConstBytes bytes) {
    const Bytes room = inside_->input().room();
    GYRE_ASSERT(bytes.size() <= room.size(),
                "give input when it is wanted, and at most input_bytes_max");
    std::copy(bytes.begin(), bytes.end(), room.begin());
    input_came(bytes.size());
}

Bytes Engine::input_room() noexcept {
    GYRE_ASSERT(inside_->input().empty(), "input comes when it is wanted, not before");
    return inside_->input().room();
}

void Engine::input_came(std::size_t size) noexcept {
    inside_->input().add(size);
}

bool Engine::needs_input() const noexcept {
    return inside_->needs_input();
}

void Engine::end_input() noexcept {
    inside_->end_input();
}

ConstBytes Engine::output() const noexcept {
    return inside_->output().bytes();
}

void Engine::output_went(std::size_t size) noexcept {
    GYRE_ASSERT(size <= inside_->output().bytes().size(), "more output went than there was");
    inside_->output().take(size);
}

std::string_view Engine::protocol() const noexcept {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(inside_->connection(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

std::string_view Engine::version() const noexcept {
    return SSL_get_version(inside_->connection());
}

bool Engine::is_resumed() const noexcept {
    return SSL_session_reused(inside_->connection()) == 1;
}

std::string_view Engine::server_name() const noexcept {
    const char* name = SSL_get_servername(inside_->connection(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : std::string_view();
}

std::string Engine::peer_subject() const {
    X509* const certificate = SSL_get0_peer_certificate(inside_->connection());
    if (certificate == nullptr) return {};
    const OwnedBio text(BIO_new(BIO_s_mem()));
    require(text != nullptr);
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
    char* first = nullptr;
    const long size = BIO_get_mem_data(text.get(), &first);
    return {first, static_cast<std::size_t>(size)};
}

}  // namespace gyre::tls
