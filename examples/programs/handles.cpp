// SPDX-License-Identifier: Apache-2.0
// libuv's way: an echo server of handles and callbacks, in the phases that libuv's programs know.
//
//     $ handles
//     the client heard: hello
//     5 ticks

#include <gyre/gyre.hpp>
#include <gyre/handle/listener_handle.hpp>
#include <gyre/handle/phased_loop.hpp>
#include <gyre/handle/stream_handle.hpp>
#include <gyre/handle/timer.hpp>

#include <array>
#include <cstdio>
#include <string>

using namespace gyre;
using namespace gyre::handle;
using namespace std::chrono_literals;

struct Peer {
    explicit Peer(PhasedLoop& loop) : tcp(loop) {}
    Tcp tcp;
    Write write;
    std::array<std::byte, 64> buffer{};
};

int main() {
    Program program;
    PhasedLoop loop(program.platform());
    ListenerHandle listener(loop);
    Peer server(loop);
    Peer client(loop);
    Connect connect;

    listener.listen(Address::loopback(), {}, [&](ListenerHandle& ready, Status) {
        ready.accept(server.tcp);
        server.tcp.read_start(server.buffer, [&](StreamHandle& from, Result<ConstBytes> bytes) {
            if (bytes && !bytes->empty()) {
                from.write(server.write, *bytes, [](Write&, Status) {});
            } else {
                from.close();
            }
        });
    });
    client.tcp.connect(connect, listener.local_address().value(), [&](Connect&, Status) {
        client.tcp.write(client.write, bytes_of("hello"), [](Write&, Status) {});
        client.tcp.read_start(client.buffer, [&](StreamHandle& from, Result<ConstBytes> bytes) {
            std::printf("the client heard: %s\n", std::string(text_of(*bytes)).c_str());
            from.close();
            listener.close();
        });
    });
    int ticks = 0;
    Timer timer(loop);
    timer.start(
        [&](Timer& self) {
            if (++ticks == 5) self.close();
        },
        2ms, 2ms);
    loop.run();
    std::printf("%d ticks\n", ticks);
}
