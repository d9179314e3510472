// SPDX-License-Identifier: Apache-2.0
// Datagrams between two handles of one loop: a server that answers each word in capitals, and a
// client that asks three times, one after another.
//
//     $ build/release/bin/examples/27_udp
//     wave -> WAVE
//     spin -> SPIN
//     turn -> TURN
//     the server answered 3 datagrams

#include <array>
#include <cctype>
#include <cstdio>
#include <string>

#include "gyre/app/program.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/udp.hpp"

using namespace gyre;
using namespace gyre::handle;

class Server {
public:
    explicit Server(PhasedLoop& loop) : udp(loop) {
        udp.bind(Address::loopback());
        udp.receive_start(buffer_, [this](Udp&, const Result<Udp::Received>& got) { answer(got); });
    }

    Udp udp;
    int answered_count = 0;

private:
    void answer(const Result<Udp::Received>& got) {
        if (!got) return;
        std::string word;
        for (const std::byte b : got->data) word += static_cast<char>(std::toupper(int(b)));
        if (udp.try_send(bytes_of(word), got->from).get()) ++answered_count;
    }
    std::array<std::byte, 512> buffer_{};
};

class Client {
public:
    Client(PhasedLoop& loop, Server& server) : udp_(loop), server_(server) {
        udp_.connect(server.udp.local_address().value());
        udp_.receive_start(buffer_, [this](Udp&, const Result<Udp::Received>& got) {
            if (got) show({reinterpret_cast<const char*>(got->data.data()), got->data.size()});
        });
        ask();
    }

private:
    void ask() {
        const ConstBytes word = bytes_of(words_[asked_count_]);
        udp_.send(request_, word, Address(), [](UdpSend&, Status) {});
    }
    void show(std::string_view answer) {
        std::printf("%s -> %s\n", words_[asked_count_], std::string(answer).c_str());
        if (++asked_count_ < words_.size()) return ask();
        udp_.close();
        server_.udp.close();
    }

    const std::array<const char*, 3> words_ = {"wave", "spin", "turn"};
    std::size_t asked_count_ = 0;
    std::array<std::byte, 512> buffer_{};
    UdpSend request_;
    Udp udp_;
    Server& server_;
};

int main() {
    Program program;
    PhasedLoop loop(program.platform());
    Server server(loop);
    const Client client(loop, server);
    loop.run();
    std::printf("the server answered %d datagrams\n", server.answered_count);
}
