// SPDX-License-Identifier: Apache-2.0
// A key-value server that speaks lines: SET key value, GET key, DEL key. Answers to pipelined lines
// are sent together; a line beyond the limit ends its connection, with the reason.
//
//     $ build/release/bin/examples/30_key_value
//     SET colour blue -> ok
//     GET colour -> blue
//     DEL colour -> ok
//     GET colour -> nothing
//     DANCE -> what?
//     a long line -> read_line: more than line_size_max = 64

// [head]
#include <cstdio>
#include <map>

#include <gyre/gyre.hpp>

using namespace gyre;

using Store = std::map<std::string, std::string, std::less<>>;
// [/head]

std::string answer(Store& store, std::string_view line) {
    const auto next_word = [&line] {
        const std::string_view word = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(word.size() + 1, line.size()));
        return std::string(word);
    };
    const std::string verb = next_word();
    const std::string key = next_word();
    if (verb == "SET") return store[key] = line, "ok";
    if (verb == "DEL") return store.erase(key) > 0 ? "ok" : "nothing";
    if (verb != "GET") return "what?";
    const auto found = store.find(key);
    return found == store.end() ? "nothing" : found->second;
}

// [serve]
Future<void> serve(net::Connection stream, Store* store) {
    net::Reader reader(stream, {.buffer_bytes = 4096, .line_size_max = 64});
    net::Writer writer(stream);
    std::string problem;
    try {
        while (const auto line = co_await reader.read_line()) {
            co_await writer.write(answer(*store, *line) + "\n");
            if (reader.buffered().empty()) co_await writer.flush();
        }
    } catch (const LimitError& e) {
        problem = e.what();
    }
    if (!problem.empty()) co_await writer.write(problem + "\n");
    co_await writer.flush();
}
// [/serve]

Future<void> app() {
    const net::Listener listener = co_await net::listen(Address::loopback());
    Store store;
    net::Connection client = co_await net::connect(listener.local_address().value());
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn(serve, co_await listener.accept(), &store);
        net::Reader reader(client);
        for (const char* line :
             {"SET colour blue", "GET colour", "DEL colour", "GET colour", "DANCE"}) {
            co_await client.write(bytes_of(std::string(line) + "\n"));
            std::printf("%s -> %s\n", line, std::string(*co_await reader.read_line()).c_str());
        }
        co_await client.write(bytes_of(std::string(100, 'x')));
        std::printf("a long line -> %s\n", std::string(*co_await reader.read_line()).c_str());
    });
}

int main() {
    return gyre::run(app);
}
