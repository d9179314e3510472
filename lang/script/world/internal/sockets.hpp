// SPDX-License-Identifier: Apache-2.0
// ScriptSockets: the natives of the module `net`: connections and listeners, by numbers. A call has
// its result at once, 0 or a negative errno, or ends later as an event. The script's thread.
//
// In a sandbox a connection is opened, and a port listened at, only where a host is permitted. A
// permitted name stands for the addresses that this resolves it to, whatever the script says.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gyre/io/sockets.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class ScriptSockets {
public:
    // Of all sockets of a script; those of the system are fewer by default.
    static constexpr std::size_t count_max = std::size_t{1} << 20u;
    // What the writes of all sockets may leave to be sent later; a write above it is ENOBUFS.
    static constexpr std::size_t unsent_bytes_max = std::size_t{512} << 20u;
    // Of a waiting read; what else is there is read with the same event, up to chunk_bytes_max.
    static constexpr std::size_t read_bytes = 2048;
    static constexpr std::size_t chunk_bytes_max = std::size_t{64} << 10u;

    ScriptSockets(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}

    // netOpen(event id): the number of a new socket, which is not connected.
    void open(NativeCall& call);
    // netAdopt(socket, event id): the events of a connection that a listener has accepted.
    void adopt(NativeCall& call);
    // netPair(event id): "SOCKET DESCRIPTOR", connected with each other; the descriptor is the
    // caller's, for a child. netInherit(event id, descriptor): a socket that the process was started
    // with. Negative numbers are errors.
    void pair(NativeCall& call);
    void inherit(NativeCall& call);
    // netConnect(socket, done id, path, bytes of an address, port, name): onDone(done id, 0 or an
    // error, "P" and the refusal of a sandbox). The name is the one that was looked up, or empty.
    void connect(NativeCall& call);
    // netListen(socket, path, bytes of an address, port, backlog): then events (socket, "A") of
    // connections.
    void listen(NativeCall& call);
    // netRead(socket, on or off, tell again): events (size, or an error or the end, "R"), each of which
    // is answered by netTake(socket, bytes), or repeated by the next netRead.
    void read(NativeCall& call);
    void take(NativeCall& call);
    // netWrite(socket, done id, bytes or text, is the text latin1): the size in bytes, which the system has
    // taken; with `sent_later` added: onDone follows.
    void write(NativeCall& call);
    // netFinish(socket, done id): onDone when all is sent and the peer will read the end.
    void finish(NativeCall& call);
    // netClose(socket, done id, with a reset): onDone in the phase of close callbacks.
    void close(NativeCall& call);
    // netAddress(socket, of the peer): "address port", or a path; undefined without one.
    void address(NativeCall& call);
    // netOption(socket, a StreamOption, value)
    void option(NativeCall& call);
    // netRefer(socket, whether it keeps the loop alive)
    void refer(NativeCall& call);
    // netUnsent(socket): the bytes that the system has not taken.
    void unsent(NativeCall& call);

    static constexpr int end_of_stream = -4095;
    static constexpr double sent_later = 0x1p48;

private:
    struct Unsent {
        std::string data;
        double done_id;
        bool is_end = false;
    };
    struct Socket {
        double number = 0;
        double event_id = 0;
        net::Connection connection;
        net::Listener listener;
        std::vector<std::byte> buffer = {};  // from the first read
        std::string arrived = {};            // not taken yet
        int ended = 0;                       // the error or end that follows what has arrived
        std::deque<Unsent> unsent = {};
        std::size_t unsent_bytes = 0;
        bool is_connecting = false;
        bool is_closed = false;
        bool is_referenced = true;
        bool wants_data = false;
        bool has_reader = false;  // a task that reads
        bool is_told = false;     // of what has arrived
        bool holds = false;       // the loop
    };
    using Shared = std::shared_ptr<Socket>;

    [[nodiscard]] Shared find(NativeCall& call) const;
    Shared make(double event_id);
    // Tells of what is there, or begins to read.
    void go_on(const Shared& socket);
    void update_hold(Socket& socket);
    [[nodiscard]] Sockets& system() const noexcept;
    [[nodiscard]] Future<void> connect_later(Shared socket, double done_id, Address to,
                                             std::string name);
    // Empty: a script may reach the address, by itself or as one of those of a permitted name.
    [[nodiscard]] Future<std::string> refusal_of(Address to, std::string name);
    [[nodiscard]] Future<void> accept_all(Shared socket);
    [[nodiscard]] Future<void> read_once(Shared socket);
    [[nodiscard]] Future<void> send_rest(Shared socket);

    Script& script_;
    Executor& executor_;
    net::Resolver resolver_;
    std::unordered_map<double, Shared> sockets_;
    std::unordered_map<double, TaskHandle<void>> connecting_;  // until the next connect
    std::vector<std::byte> scratch_;
    std::size_t unsent_bytes_ = 0;
    double last_ = 0;
};

}  // namespace gyre::script
