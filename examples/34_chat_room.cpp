// SPDX-License-Identifier: Apache-2.0
// Actors: a chat room. The room has references to its members and watches them; members know no
// other member. Actors share no state, so there are no locks.
//
//     $ build/release/bin/examples/34_chat_room
//     ada hears: brian joins
//     ada hears: brian: hello
//     brian hears: ada: hello, brian
//     ada hears: brian leaves

// [head]
#include <cstdio>
#include <map>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::actor;
// [/head]

// [room]
class Member : public Actor<Member> {
public:
    void handle(std::string text) {
        std::printf("%s hears: %s\n", self().name().c_str(), text.c_str());
    }
};

struct Join {
    Ref<Member> member;
};
struct Say {
    std::string name;
    std::string text;
};
class Room : public Actor<Room> {
public:
    void handle(Join join) {
        const std::string name = join.member.name();
        tell_all_but(name, name + " joins");
        watch(join.member);
        members_.emplace(name, std::move(join.member));
    }
    void handle(Say say) { tell_all_but(say.name, say.name + ": " + say.text); }
    void handle(Terminated end) {
        members_.erase(end.actor.name());
        tell_all_but(end.actor.name(), end.actor.name() + " leaves");
    }

private:
    void tell_all_but(const std::string& name, const std::string& text) {
        for (const auto& [other, member] : members_) {
            if (other != name) member.send(text);
        }
    }
    std::map<std::string, Ref<Member>> members_;
};
// [/room]

// [chat]
Future<void> chat(System& system) {
    const Ref<Room> room = system.spawn<Room>();
    const Ref<Member> ada = system.spawn_with<Member>({.name = "ada"});
    const Ref<Member> brian = system.spawn_with<Member>({.name = "brian"});
    room.send(Join{ada});
    room.send(Join{brian});
    room.send(Say{"brian", "hello"});
    room.send(Say{"ada", "hello, brian"});
    co_await sleep(std::chrono::milliseconds(1));  // Lets the room deliver its messages.
    brian.stop();
    co_await brian.ended();
    co_await sleep(std::chrono::milliseconds(1));
}
// [/chat]

int main() {
    return gyre::run([] { return with_actors(chat); });
}
