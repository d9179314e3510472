// SPDX-License-Identifier: Apache-2.0
// A chat over a Unix socket. Each line is broadcast to all members through bounded channels.
//
//     $ build/release/bin/examples/29_chat
//     ada heard: ada joins; bob joins; bob: hello, ada; ada: hello, bob
//     bob heard: bob joins; bob: hello, ada; ada: hello, bob

#include <cstdio>
#include <list>

#include <gyre/gyre.hpp>

using namespace gyre;

struct Room {
    // A member's connection: the first line is a name, the others are broadcast.
    Future<void> serve(net::Connection stream) {
        net::Reader reader(stream, {.buffer_bytes = 1024, .line_size_max = 256});
        const std::string name(*co_await reader.read_line());
        const auto member = members_.emplace(members_.end(), 16u);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&] { return forward(*member, stream); });
            say(name + " joins");
            while (auto line = co_await reader.read_line()) say(name + ": " + std::string(*line));
            member->close();
        });
        members_.erase(member);
    }

private:
    void say(const std::string& line) {
        for (auto& member : members_) static_cast<void>(member.try_send(line + "\n"));
    }
    static Future<void> forward(Channel<std::string>& lines, const net::Connection& to) {
        while (const auto line = co_await lines.receive()) co_await to.write(bytes_of(*line));
    }
    std::list<Channel<std::string>> members_;
};

// Says a line when it has heard another one, and leaves when it has heard the last.
Future<std::string> take_part(Address at, std::string name, std::string cue, std::string line,
                              Event* is_in) {
    net::Connection stream = co_await net::connect(at);
    co_await stream.write(bytes_of(name + "\n"));
    net::Reader reader(stream);
    std::string heard;
    while (!heard.ends_with("hello, bob")) {
        const std::string next(*co_await reader.read_line());
        is_in->set();
        heard += (heard.empty() ? "" : "; ") + next;
        if (next == cue) co_await stream.write(bytes_of(line + "\n"));
    }
    co_return name + " heard: " + heard;
}

Future<void> app(Scope& root) {
    const Address at = Address::unix_path(std::string_view("\0gyre-chat", 10)).value();
    const net::Listener listener = co_await net::listen(at);
    Room room;
    Event ada_is_in;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&]() -> Future<void> {
            auto serve = [&](net::Connection from) { return room.serve(std::move(from)); };
            for (;;) scope.spawn(serve, co_await listener.accept());
        });
        auto ada = root.spawn(take_part, at, "ada", "bob: hello, ada", "hello, bob", &ada_is_in);
        co_await ada_is_in;
        auto bob = root.spawn(take_part, at, "bob", "bob joins", "hello, ada", &ada_is_in);
        for (auto* member : {&ada, &bob}) std::puts((co_await std::move(*member)).c_str());
        scope.cancel("everybody has left");
    });
}

int main() {
    return gyre::run(app);
}
