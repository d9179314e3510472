// SPDX-License-Identifier: Apache-2.0
// An echo over TCP, both ends on one loop. A send may take fewer bytes than it was given, so the
// rest is sent again; a receive gives the available bytes, and 0 at the end of the stream.
//
//     $ build/release/bin/examples/10_echo
//     server: echoed 11 bytes
//     client: got "hello, gyre"

#include <array>
#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"

using namespace gyre;

class Echo : public Machine {
public:
    explicit Echo(Sockets& sockets) : Machine("echo"), sockets_(sockets) {}
    ~Echo() override {
        for (const Fd fd : {accept_.fd, echo_.fd, connect_.fd}) sockets_.close_now(fd);
    }

    void start() {
        accept_.fd = sockets_.listen(Address::loopback(), {}).value();
        connect_.to = sockets_.local_address(accept_.fd).value();
        connect_.fd = ask_.fd = answer_.fd = sockets_.stream(connect_.to.family()).value();
        submit(accept_);
        submit(connect_);
    }

private:
    void tick(Instant /*now*/) override {
        while (const Op* op = next_completion()) {
            const auto count = static_cast<std::size_t>(std::max(op->result(), 0));
            if (op->result() < 0) {
                std::printf("%s failed with %d\n", loop().name_of(*op), op->result());
            } else if (op == &accept_) {
                hear_.fd = echo_.fd = op->result();
                submit(hear_);
            } else if (op == &hear_ && count > 0) {
                std::printf("server: echoed %zu bytes\n", count);
                send(echo_, hear_.buffer.first(count), hear_);
            } else if (op == &echo_) {
                send(echo_, echo_.buffer.subspan(count), hear_);
            } else if (op == &connect_) {
                send(ask_, bytes_of("hello, gyre"), answer_);
            } else if (op == &ask_) {
                send(ask_, ask_.buffer.subspan(count), answer_);
            } else if (op == &answer_) {
                std::printf("client: got \"%.*s\"\n", static_cast<int>(count), answer_text_.data());
                (void)sockets_.end_sending(connect_.fd);
            }
        }
    }

    void send(SendOp& op, ConstBytes rest, Op& after) {
        op.buffer = rest;
        submit(rest.empty() ? after : op);
    }

    Sockets& sockets_;
    std::array<std::byte, 4096> heard_{};
    std::array<char, 64> answer_text_{};
    AcceptOp accept_{-1};
    ReceiveOp hear_{-1, heard_};
    SendOp echo_{-1, {}};
    ConnectOp connect_{-1, {}};
    SendOp ask_{-1, {}};
    ReceiveOp answer_{-1, std::as_writable_bytes(std::span(answer_text_))};
};

int main() {
    Program program;
    Echo echo(program.platform().environment()->sockets());
    Loop loop(program.platform(), echo, program.loop_options());
    echo.start();
    loop.run();
}
