// SPDX-License-Identifier: Apache-2.0
// bench_apps_beast: the applications of bench/apps on Boost.Beast: a session for each connection on one
// thread, with completion handlers, JSON by nlohmann's library, and a connection of each session to the
// upstream server. Runs until it is killed.
//
//     bench_apps_beast PORT UPSTREAM_PORT
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using nlohmann::json;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

std::uint64_t request_count = 0;

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(Socket socket, const tcp::endpoint& upstream)
        : socket_(std::move(socket)), upstream_(socket_.get_executor()), upstream_at_(upstream) {}

    void read() {
        request_ = {};
        auto self = shared_from_this();
        http::async_read(socket_, buffer_, request_, [self](error_code error, std::size_t) {
            if (!error) self->answer();
        });
    }

private:
    void answer() {
        ++request_count;
        response_ = {};
        const std::string target(request_.target());
        if (target.rfind("/proxy/", 0) == 0) return proxy(target.substr(6));
        if (request_.method() == http::verb::post && target == "/orders") {
            order();
        } else if (!show(target)) {
            response_.result(http::status::not_found);
        }
        send();
    }
    // /users/:id/posts/:post
    bool show(const std::string& target) {
        const std::string users = "/users/";
        const std::string posts = "/posts/";
        if (target.rfind(users, 0) != 0) return false;
        const std::size_t end = target.find(posts, users.size());
        if (end == std::string::npos) return false;
        response_.set(http::field::content_type, "text/plain");
        response_.body() = "user " + target.substr(users.size(), end - users.size()) + " post " +
                           target.substr(end + posts.size());
        return true;
    }
    void order() {
        const json order = json::parse(request_.body(), nullptr, false);
        if (order.is_discarded()) {
            response_.result(http::status::bad_request);
            return;
        }
        double total = 0;
        int count = 0;
        for (const json& item : order.at("items")) {
            total += item.at("price").get<double>() * item.at("count").get<int>();
            count += item.at("count").get<int>();
        }
        const json sum = {{"customer", order.at("customer")}, {"count", count}, {"total", total}};
        response_.set(http::field::content_type, "application/json");
        response_.body() = sum.dump();
    }
    void proxy(const std::string& path) {
        asked_ = {http::verb::get, path, 11};
        asked_.set(http::field::host, "127.0.0.1");
        auto self = shared_from_this();
        if (upstream_.is_open()) return ask();
        upstream_.async_connect(upstream_at_, [self](error_code error) {
            if (error) return;
            self->upstream_.set_option(tcp::no_delay(true));
            self->ask();
        });
    }
    void ask() {
        auto self = shared_from_this();
        http::async_write(upstream_, asked_, [self](error_code error, std::size_t) {
            if (!error) self->hear();
        });
    }
    void hear() {
        auto self = shared_from_this();
        http::async_read(upstream_, heard_, response_, [self](error_code error, std::size_t) {
            if (!error) self->send();
        });
    }
    void send() {
        response_.keep_alive(request_.keep_alive());
        response_.prepare_payload();
        auto self = shared_from_this();
        http::async_write(socket_, response_, [self](error_code error, std::size_t) {
            if (!error) self->read();
        });
    }

    Socket socket_;
    Socket upstream_;
    const tcp::endpoint& upstream_at_;
    beast::flat_buffer buffer_;
    beast::flat_buffer heard_;
    http::request<http::string_body> request_;
    http::request<http::empty_body> asked_;
    http::response<http::string_body> response_;
};

class Server {
public:
    Server(std::uint16_t port, std::uint16_t upstream_port)
        : acceptor_(loop_, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
          upstream_(asio::ip::address_v4::loopback(), upstream_port) {}
    void serve() {
        accept();
        loop_.run();
    }

private:
    void accept() {
        acceptor_.async_accept([this](error_code error, Socket socket) {
            if (!error) {
                socket.set_option(tcp::no_delay(true));
                std::make_shared<Session>(std::move(socket), upstream_)->read();
            }
            accept();
        });
    }

    asio::io_context loop_{1};
    Acceptor acceptor_;
    const tcp::endpoint upstream_;
};

std::uint16_t port_of(const char* text) {
    return static_cast<std::uint16_t>(std::atoi(text));
}

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        std::fprintf(stderr, "usage: %s PORT UPSTREAM_PORT\n", arguments[0]);
        return 2;
    }
    Server(port_of(arguments[1]), port_of(arguments[2])).serve();
}
