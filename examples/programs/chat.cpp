// SPDX-License-Identifier: Apache-2.0
// A chat server with rooms: a member's first line is `ROOM NAME`, each other line goes to everyone
// in the room. `chat PORT` serves until Ctrl-C, then lets everyone go; `chat` shows itself.
//
//     $ chat
//     tea: ada: hello
//     tea: the server stops
//     2 people came

#include <gyre/gyre.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

using namespace gyre;
using Outbox = Channel<std::string>;

struct Chat {
    std::map<std::string, std::set<Outbox*>> rooms;
    int people_count = 0;

    // A member who does not read loses lines, and holds nobody up.
    void say(const std::string& room, const std::string& line) {
        for (Outbox* member : rooms[room]) (void)member->try_send(room + ": " + line + "\n");
    }
    Future<void> hear(net::Reader& reader, std::string room, std::string name) {
        while (auto line = co_await reader.read_line()) say(room, name + ": " + std::string(*line));
    }
    static Future<void> forward(Outbox& outbox, const net::Connection& to) {
        while (auto line = co_await outbox.receive()) co_await to.write(bytes_of(*line));
    }
    Future<void> talk(net::Connection member) {
        net::Reader reader(member, {.line_size_max = 256});
        const std::string first(*co_await reader.read_line());
        const std::string room = first.substr(0, first.find(' '));
        const std::string name = first.substr(room.size() + 1);
        Outbox outbox(64);
        rooms[room].insert(&outbox);
        ++people_count;
        co_await select(hear(reader, room, name), forward(outbox, member));  // until one ends
        rooms[room].erase(&outbox);
    }
    // Until `stop`. Then everyone is told, and every outbox is emptied before it ends.
    Future<void> serve(net::Listener& listener, Event& stop) {
        co_await with_scope([&](Scope& people) -> Future<void> {
            const auto come = [this](net::Connection member) { return talk(std::move(member)); };
            while (!stop.is_set()) {
                auto [member, end] = co_await select(listener.accept(), stop);
                if (member) people.spawn(come, member.take());
            }
            for (auto& [room, members] : rooms) {
                say(room, "the server stops");
                for (Outbox* member : members) member->close();
            }
        });
        std::printf("%d people came\n", people_count);
    }
};

// Ctrl-C cancels the program: this task turns that into a stop.
Future<void> stop_when_cancelled(Event& stop) {
    try {
        co_await sleep(std::chrono::years(1));
    } catch (const Cancelled&) {
        stop.set();
    }
}

// Ada says hello to bob, and the server stops.
Future<void> show(Address at, Event& stop) {
    net::Connection bob = co_await net::connect(at);
    net::Reader reader(bob);
    co_await bob.write(bytes_of("tea bob\n"));
    co_await sleep(std::chrono::milliseconds(5));
    net::Connection ada = co_await net::connect(at);
    co_await ada.write(bytes_of("tea ada\nhello\n"));
    for (int i = 0; i < 2; ++i) {
        const std::string line(*co_await reader.read_line());
        std::puts(line.c_str());
        stop.set();
    }
}

Future<void> app(int port) {
    Chat chat;
    Event stop;
    net::Listener listener = co_await net::listen(Address::loopback(std::uint16_t(port)));
    const Address at = listener.local_address().value();
    auto other = port == 0 ? show(at, stop) : stop_when_cancelled(stop);
    co_await all(shield(chat.serve(listener, stop)), std::move(other));
}

int main(int count, char** arguments) {
    const int port = count > 1 ? std::atoi(arguments[1]) : 0;
    return gyre::run([port] { return app(port); });
}
