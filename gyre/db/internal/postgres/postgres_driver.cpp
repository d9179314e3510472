// SPDX-License-Identifier: Apache-2.0
// PostgresDriver: the network, encryption and the login.
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/postgres_link.hpp"
#include "gyre/db/internal/postgres/scram.hpp"
#include "gyre/db/internal/postgres/server_error.hpp"

namespace gyre::db::postgres {

namespace {

constexpr std::int32_t protocol_version = 3 << 16;
constexpr std::int32_t ssl_request = 80'877'103;
constexpr std::size_t nonce_bytes = 18;

[[noreturn]] void refuse_login(const std::string& why) {
    throw DbError(DbError::Kind::refused, why);
}

// The conversation from the startup message to the first ReadyForQuery.
class Login {
public:
    Login(Wire& wire, const Url& url)
        : wire_(wire), url_(url), scram_(url.password, random_text(nonce_bytes)) {}

    Future<CancelKey> run(std::string name) {
        MessageWriter startup(wire_.session().output(), 0);
        startup.number(protocol_version)
            .text("user")
            .text(url_.user)
            .text("database")
            .text(url_.name);
        startup.text("application_name").text(name).text("client_encoding").text("UTF8");
        startup.text("DateStyle").text("ISO").text("").end();
        co_await wire_.send_all();
        while (!is_ready_) {
            const Frame frame = co_await wire_.receive_one();
            take(frame);
            if (!wire_.session().output().empty()) co_await wire_.send_all();
        }
        co_return key_;
    }

private:
    void take(const Frame& frame) {
        switch (frame.type) {
            case 'R':
                take_authentication(frame);
                return;
            case 'E':
                throw read_server_error(frame).error;
            case 'N':
            case 'S':
                return;
            case 'K': {
                FieldReader fields(frame);
                key_.process = fields.number<std::int32_t>();
                key_.secret = fields.number<std::int32_t>();
                fields.end();
                return;
            }
            case 'Z':
                if (!is_authenticated_) refuse_protocol("it is ready before the login");
                is_ready_ = true;
                return;
            default:
                refuse_protocol("a message '" + std::string(1, frame.type) + "' in the login");
        }
    }

    void take_authentication(const Frame& frame) {
        FieldReader fields(frame);
        const auto method = fields.number<std::int32_t>();
        if (is_authenticated_) refuse_protocol("a second login");
        if (method == 10 && step_ == Step::begin) {
            offer_scram(fields);
        } else if (method == 11 && step_ == Step::first) {
            const std::string answer = scram_.final_message(text_of(fields.rest()));
            MessageWriter(wire_.session().output(), 'p').bytes(bytes_of(answer)).end();
            step_ = Step::final;
        } else if (method == 12 && step_ == Step::final) {
            scram_.check(text_of(fields.rest()));
            step_ = Step::begin;
        } else if (method == 0 && step_ == Step::begin) {
            is_authenticated_ = true;
        } else {
            refuse_method(method);
        }
    }

    void offer_scram(FieldReader& fields) {
        bool is_offered = false;
        while (!fields.is_at_end()) {
            const std::string_view mechanism = fields.text();
            is_offered = is_offered || mechanism == "SCRAM-SHA-256";
        }
        if (!is_offered) refuse_login("the server does not offer SCRAM-SHA-256");
        if (url_.password.empty())
            refuse_login("the server wants a password, and the URL has none");
        const std::string first = scram_.first_message();
        MessageWriter message(wire_.session().output(), 'p');
        message.text("SCRAM-SHA-256").number(static_cast<std::int32_t>(first.size()));
        message.bytes(bytes_of(first)).end();
        step_ = Step::first;
    }

    [[noreturn]] static void refuse_method(std::int32_t method) {
        if (method == 3)
            refuse_login(
                "the server wants the password in clear text, which this client does not send");
        if (method == 5)
            refuse_login("the server wants a password hashed with MD5: let it use scram-sha-256");
        if (method == 0) refuse_protocol("a login that skips the end of SCRAM");
        refuse_login("the server wants a login of kind " + std::to_string(method) +
                     ", which this client has not");
    }

    enum class Step : std::uint8_t { begin, first, final };

    Wire& wire_;
    const Url& url_;
    Scram scram_;
    CancelKey key_;
    Step step_ = Step::begin;
    bool is_authenticated_ = false;
    bool is_ready_ = false;
};

}  // namespace

PostgresDriver::PostgresDriver(Url url, const Limits& limits,
                               std::shared_ptr<Encryption> encryption)
    : url_(std::move(url)), limits_(limits), encryption_(std::move(encryption)) {
    if (is_encrypted() && !encryption_) {
        throw DbError(DbError::Kind::failed,
                      "the URL of a database asks for TLS, and PoolOptions::encryption is not set");
    }
}

bool PostgresDriver::is_encrypted() const {
    const std::string_view mode = url_.option("sslmode");
    return !url_.is_unix() && !mode.empty() && mode != "disable";
}

Future<net::Connection> PostgresDriver::dial() {
    if (url_.is_unix()) {
        const auto address =
            Address::unix_path(url_.host + "/.s.PGSQL." + std::to_string(url_.port));
        if (!address)
            throw DbError(DbError::Kind::failed,
                          "the path of the Unix socket is too long: " + url_.host);
        co_return co_await net::connect(*address);
    }
    net::Connection connection = co_await net::connect(resolver_, url_.host, url_.port);
    static_cast<void>(connection.set_no_delay(true));
    co_return std::move(connection);
}

Future<std::unique_ptr<net::ByteStream>> PostgresDriver::open() {
    net::Connection connection = co_await dial();
    if (is_encrypted()) {
        std::string request;
        MessageWriter(request, 0).number(ssl_request).end();
        co_await connection.write(bytes_of(request));
        std::array<std::byte, 1> answer{};
        // One byte: what a server, or somebody between, sends before the handshake counts as TLS.
        const std::size_t size = co_await connection.read(answer);
        if (size == 0 || answer[0] != std::byte{'S'}) refuse_login("the server does not speak TLS");
        co_return co_await encryption_->secure(std::move(connection), url_.host,
                                               url_.option("sslmode") == "verify-full");
    }
    co_return std::make_unique<net::Connection>(std::move(connection));
}

Future<std::unique_ptr<Link>> PostgresDriver::connect(std::string name) {
    try {
        auto stream = co_await open();
        auto wire = std::make_shared<Wire>(std::move(stream), limits_);
        Login login(*wire, url_);
        const CancelKey key = co_await login.run(std::move(name));
        co_return std::make_unique<PostgresLink>(*this, std::move(wire), key);
    } catch (const std::system_error& e) {
        throw DbError(DbError::Kind::unreachable, "'" + url_.shown() + "': " + e.what());
    } catch (const DbError& e) {
        // In the login nothing was done yet.
        if (e.kind() != DbError::Kind::lost) throw;
        throw DbError(DbError::Kind::unreachable, "'" + url_.shown() + "': " + e.message());
    }
}

}  // namespace gyre::db::postgres
