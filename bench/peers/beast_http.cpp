// SPDX-License-Identifier: Apache-2.0
// bench_server_beast: Boost.Beast's rows of the group http: a session for each connection on one
// thread, with completion handlers and without Asio's erased executors. Runs until it is killed.
//
//     bench_server_beast PORT FOLDER [CERTIFICATE KEY]
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Encrypted = asio::ssl::stream<Socket>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

template <class Stream>
class Session : public std::enable_shared_from_this<Session<Stream>> {
public:
    template <class... Args>
    explicit Session(const std::string& folder, Args&&... args)
        : stream_(std::forward<Args>(args)...), folder_(folder) {}

    void start() {
        if constexpr (std::is_same_v<Stream, Encrypted>) {
            auto self = this->shared_from_this();
            stream_.async_handshake(asio::ssl::stream_base::server, [self](error_code error) {
                if (!error) self->read();
            });
        } else {
            read();
        }
    }

private:
    void read() {
        request_ = {};
        auto self = this->shared_from_this();
        http::async_read(stream_, buffer_, request_, [self](error_code error, std::size_t) {
            if (!error) self->answer();
        });
    }
    void answer() {
        if (request_.target() == "/plaintext") {
            text_.emplace();
            text_->set(http::field::content_type, "text/plain");
            text_->body() = "Hello, World!";
            return send(*text_);
        }
        file_.emplace();
        error_code error;
        const std::string path = folder_ + std::string(request_.target());
        file_->body().open(path.c_str(), beast::file_mode::scan, error);
        if (error) return;
        file_->set(http::field::content_type, "application/octet-stream");
        send(*file_);
    }
    template <class Response>
    void send(Response& response) {
        response.keep_alive(request_.keep_alive());
        response.prepare_payload();
        auto self = this->shared_from_this();
        http::async_write(stream_, response, [self](error_code error, std::size_t) {
            self->file_.reset();
            if (!error) self->read();
        });
    }

    Stream stream_;
    const std::string& folder_;
    beast::flat_buffer buffer_;
    http::request<http::empty_body> request_;
    std::optional<http::response<http::string_body>> text_;
    std::optional<http::response<http::file_body>> file_;
};

class Server {
public:
    Server(std::uint16_t port, std::string folder, char** encryption)
        : folder_(std::move(folder)),
          acceptor_(loop_, tcp::endpoint(asio::ip::address_v4::loopback(), port)) {
        if (encryption == nullptr) return;
        context_.emplace(asio::ssl::context::tls_server);
        context_->use_certificate_chain_file(encryption[0]);
        context_->use_private_key_file(encryption[1], asio::ssl::context::pem);
    }
    void serve() {
        accept();
        loop_.run();
    }

private:
    void accept() {
        acceptor_.async_accept([this](error_code error, Socket socket) {
            if (!error) begin(std::move(socket));
            accept();
        });
    }
    void begin(Socket socket) {
        socket.set_option(tcp::no_delay(true));
        if (context_) {
            std::make_shared<Session<Encrypted>>(folder_, std::move(socket), *context_)->start();
        } else {
            std::make_shared<Session<Socket>>(folder_, std::move(socket))->start();
        }
    }

    asio::io_context loop_{1};
    const std::string folder_;
    Acceptor acceptor_;
    std::optional<asio::ssl::context> context_;
};

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3 && argument_count != 5) {
        std::fprintf(stderr, "usage: %s PORT FOLDER [CERTIFICATE KEY]\n", arguments[0]);
        return 2;
    }
    Server(static_cast<std::uint16_t>(std::atoi(arguments[1])), arguments[2],
           argument_count == 5 ? arguments + 3 : nullptr)
        .serve();
}
