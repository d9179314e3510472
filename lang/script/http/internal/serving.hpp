// SPDX-License-Identifier: Apache-2.0
// Serving: the natives behind gyre:http: servers, and requests that the script answers. The task of a
// connection carries out the orders of the script one after the other, so that request and response
// are touched by one task. The script's thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "gyre/http/server.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/script/http/http.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class Serving {
public:
    Serving(Script& script, Executor& executor, const ScriptHttpOptions& options)
        : script_(script), executor_(executor), wall_time_(options.wall_time) {}

    // serveStart(id, host, port, handler timeout in ms): events of this id follow, by the letter that
    // their texts begin with: L listening (the port, then its address), R a request (its number, then
    // method, target, fields), A the client of a request (its number) has gone, E an error, C closed.
    void start(NativeCall& call);
    // serveStop(id)
    void stop(NativeCall& call);
    // serveSend(request, status, fields, text or bytes): the whole response.
    void send(NativeCall& call);
    // serveBegin(request, status, fields, length or -1): the head of a response in pieces.
    void begin(NativeCall& call);
    // serveWrite(done id, request, bytes); without bytes it is the end.
    void write(NativeCall& call);
    // serveRead(done id, request): onDone(done id, size); serveTake(done id, bytes). 0: the end.
    void read(NativeCall& call);
    void take(NativeCall& call);
    // serveBreak(request): closes the connection.
    void cut(NativeCall& call);

private:
    struct Order {
        enum class Kind : std::uint8_t { send, begin, write, end, read, cut };
        Kind kind;
        double done_id = 0;  // 0: nobody waits
        int status = 200;
        double length = -1;
        std::string fields = {};
        std::string body = {};
    };
    struct Exchange {
        std::deque<Order> orders;
        Event has_order;
    };
    struct Server {
        double id;
        http::Server server;
    };

    [[nodiscard]] Future<void> serve(Server& server, std::string host, std::uint16_t port);
    [[nodiscard]] Future<void> answer(Server& server, http::Request& request,
                                      http::Response& response);
    [[nodiscard]] Future<bool> carry_out(Order& order, http::Request& request,
                                         http::Response& response);
    void give(double request, Order order);
    void set_head(http::Response& response, const Order& order) const;

    Script& script_;
    Executor& executor_;
    http::UnixSeconds (*const wall_time_)();
    std::map<double, std::unique_ptr<Server>> servers_;
    std::map<double, Exchange*> exchanges_;  // each in the frame of its task
    std::map<double, std::string> read_;
    double last_request_ = 0;
};

}  // namespace gyre::script
