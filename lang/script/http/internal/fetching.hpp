// SPDX-License-Identifier: Apache-2.0
// Fetching: the natives behind fetch: a request with its body, whole or in pieces, and the response, of
// which each piece is read when the script asks for it. The script's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/http/client.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/script/http/http.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class Fetching {
public:
    Fetching(Script& script, Executor& executor, const ScriptHttpOptions& options);

    // httpOpen(id, method, url, fields, body bytes, is the body in pieces): onDone(id, status, head).
    void open(NativeCall& call);
    // httpPiece(done id, id, bytes): onDone when it is taken; without bytes: the end of the body.
    void give_piece(NativeCall& call);
    // httpRead(done id, id): onDone(done id, size); httpTake(done id, bytes) takes it. 0: the end.
    void read(NativeCall& call);
    void take(NativeCall& call);
    // httpDrop(id): ends the exchange wherever it is.
    void drop(NativeCall& call);

private:
    struct Exchange {
        std::optional<http::Incoming> incoming;
        std::optional<TaskHandle<void>> task;  // that asks, or reads
        std::string piece;                     // of the body that is sent
        std::string sent;                      // the piece before, which the client looks at
        double taken_id = 0;                   // told when the piece is taken; 0: there is none
        bool has_ended = false;
        Event has_piece;
    };
    using Shared = std::shared_ptr<Exchange>;

    [[nodiscard]] Future<void> ask(double id, Shared exchange,
                                   std::unique_ptr<http::ClientRequest> request);
    [[nodiscard]] Future<void> read_piece(double done_id, double id, Shared exchange);
    [[nodiscard]] Future<std::string_view> next_piece(Exchange& exchange);
    [[nodiscard]] Shared find(double id) const;
    void end(double id);

    Script& script_;
    Executor& executor_;
    const ScriptHttpOptions options_;
    // Made for the first request: authorities of TLS take their time.
    std::unique_ptr<http::Client> client_;
    std::map<double, Shared> exchanges_;
    // Until the next request: an exchange owns the handle of its task, which must not go inside of it.
    std::vector<Shared> ended_;
    std::map<double, std::string> read_;
};

}  // namespace gyre::script
