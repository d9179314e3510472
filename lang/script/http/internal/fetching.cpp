// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/internal/fetching.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/script/http/internal/answer.hpp"

namespace gyre::script {
namespace {

// Asked for each connection, so that a redirect leads out of a sandbox no more than a request.
class PermittedConnector final : public http::Connector {
public:
    explicit PermittedConnector(System& system) : system_(system) {}
    Future<std::unique_ptr<net::ByteStream>> connect(const http::Url& url,
                                                     http::Timing& timing) override {
        const std::string place = url.host + ":" + std::to_string(url.port);
        const Permissions* permissions = system_.permissions();
        if (permissions != nullptr && !permissions->allows_host(url.host, url.port)) {
            throw Failure("the address " + place + " is not permitted: --allow net=" + place);
        }
        return plain_->connect(url, timing);
    }

private:
    System& system_;
    const std::unique_ptr<http::Connector> plain_ = http::plain_connector();
};

std::unique_ptr<http::Connector> make_connector(System& system, const ScriptHttpOptions& options) {
    std::unique_ptr<http::Connector> made = std::make_unique<PermittedConnector>(system);
    return options.encrypts ? options.encrypts(std::move(made)) : std::move(made);
}

// The library follows redirects itself, as the Fetch Standard has them.
http::ClientOptions client_options() {
    http::ClientOptions made;
    made.redirect_count_max = 0;
    made.timeouts.head = std::chrono::minutes(5);
    made.timeouts.read = std::chrono::minutes(5);
    made.timeouts.whole = std::chrono::hours(24);
    made.connections_per_host_max = 256;
    return made;
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Fetching::Fetching(Script& script, Executor& executor, const ScriptHttpOptions& options)
    : script_(script), executor_(executor), options_(options) {}

Fetching::Shared Fetching::find(double id) const {
    const auto found = exchanges_.find(id);
    return found == exchanges_.end() ? nullptr : found->second;
}

void Fetching::open(NativeCall& call) {
    const double id = call.number(0);
    auto request = std::make_unique<http::ClientRequest>(call.text(1), call.text(2),
                                                         std::string(text_of(call.bytes(4))));
    request->fields = fields_of(call.text(3));
    auto exchange = std::make_shared<Exchange>();
    if (call.truth(5)) {
        request->pieces = [this, exchange] { return next_piece(*exchange); };
    }
    if (client_ == nullptr) {
        client_ = std::make_unique<http::Client>(client_options(),
                                                 make_connector(script_.system(), options_));
    }
    std::erase_if(ended_,
                  [](const Shared& one) { return !one->task || one->task->is_completed(); });
    exchanges_[id] = exchange;
    script_.hold();
    exchange->task.emplace(executor_.root().spawn(ask(id, exchange, std::move(request))));
}

Future<void> Fetching::ask(double id, Shared exchange,
                           std::unique_ptr<http::ClientRequest> request) {
    Answer answer(script_, id);
    std::exception_ptr error;
    try {
        http::Incoming incoming = co_await client_->open(std::move(*request));
        answer.number = incoming.status();
        answer.text = std::string(incoming.head().reason) + '\0' + text_of(incoming.head().fields);
        exchange->incoming.emplace(std::move(incoming));
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        error = std::current_exception();
    }
    if (error == nullptr) co_return;
    answer.fail(std::move(error));
    end(id);
}

Future<std::string_view> Fetching::next_piece(Exchange& exchange) {
    while (exchange.taken_id == 0 && !exchange.has_ended) {
        exchange.has_piece.reset();
        co_await exchange.has_piece.wait();
    }
    if (exchange.taken_id == 0) co_return std::string_view();
    exchange.sent = std::move(exchange.piece);
    script_.post_done(std::exchange(exchange.taken_id, 0), 0, {});
    co_return exchange.sent;
}

void Fetching::give_piece(NativeCall& call) {
    const double done_id = call.number(0);
    const Shared exchange = find(call.number(1));
    script_.hold();
    if (exchange == nullptr || exchange->taken_id != 0) {
        return script_.post_done(done_id, -EPIPE, {});
    }
    exchange->piece = text_of(call.bytes(2));
    if (exchange->piece.empty()) {
        exchange->has_ended = true;
        script_.post_done(done_id, 0, {});
    } else {
        exchange->taken_id = done_id;
    }
    exchange->has_piece.set();
}

void Fetching::read(NativeCall& call) {
    const double done_id = call.number(0);
    const double id = call.number(1);
    const Shared exchange = find(id);
    script_.hold();
    if (exchange == nullptr || !exchange->incoming) {
        return script_.post_done(done_id, -EPIPE, "other the response has ended");
    }
    exchange->task.emplace(executor_.root().spawn(read_piece(done_id, id, exchange)));
}

Future<void> Fetching::read_piece(double done_id, double id, Shared exchange) {
    Answer answer(script_, done_id);
    std::exception_ptr error;
    try {
        const std::string_view piece = co_await exchange->incoming->read();
        answer.number = static_cast<double>(piece.size());
        if (!piece.empty()) read_[done_id] = piece;
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        error = std::current_exception();
    }
    if (error != nullptr) answer.fail(std::move(error));
    if (answer.number <= 0) end(id);
}

void Fetching::take(NativeCall& call) {
    const auto found = read_.find(call.number(0));
    if (found == read_.end()) return;
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), found->second.size());
    if (size > 0) std::memcpy(into.data(), found->second.data(), size);
    read_.erase(found);
}

// The exchange goes when its task has ended too.
void Fetching::end(double id) {
    const Shared exchange = find(id);
    if (exchange == nullptr) return;
    exchanges_.erase(id);
    ended_.push_back(exchange);
    if (exchange->taken_id != 0) {
        script_.post_done(std::exchange(exchange->taken_id, 0), -EPIPE, {});
    }
}

void Fetching::drop(NativeCall& call) {
    const double id = call.number(0);
    const Shared exchange = find(id);
    if (exchange == nullptr) return;
    end(id);
    if (exchange->task && !exchange->task->is_completed()) {
        exchange->task->cancel();
    } else {
        exchange->incoming.reset();  // closes the connection of a body that was not read
    }
}

}  // namespace gyre::script
