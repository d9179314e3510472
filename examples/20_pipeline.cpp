// SPDX-License-Identifier: Apache-2.0
// A pipeline: one task reads lines, two work on them, one collects. The channels between them are
// bounded, so a slow stage slows the stages before it down (back-pressure), and closing a channel
// ends the next stage.
//
//     $ build/release/bin/examples/20_pipeline
//     the: 3
//     quick: 5
//     brown: 5
//     fox: 3
//     jumps: 5
//     21 letters, never more than 2 words waiting

// [head]
#include <algorithm>
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

struct Counted {
    std::string word;
    std::size_t letters;
};

// [stages]
Future<void> read_words(Channel<std::string>* words, std::size_t* most) {
    for (const char* word : {"the", "quick", "brown", "fox", "jumps"}) {
        co_await words->send(word);  // waits while it is full
        *most = std::max(*most, words->count());
    }
    words->close();
}

Future<void> count_letters(Channel<std::string>* words, Channel<Counted>* counted) {
    while (auto word = co_await words->receive()) {  // none when it is closed and empty
        co_await sleep(1ms);
        const std::size_t letters = word->size();
        Counted result{*std::move(word), letters};
        co_await counted->send(std::move(result));
    }
}
// [/stages]

// [pipeline]
Future<void> app() {
    Channel<std::string> words(2);
    Channel<Counted> counted(2);
    std::size_t most = 0;
    std::size_t sum = 0;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn(read_words, &words, &most);
        scope.spawn([&]() -> Future<void> {
            co_await all(count_letters(&words, &counted), count_letters(&words, &counted));
            counted.close();
        });
        while (auto result = co_await counted.receive()) {
            std::printf("%s: %zu\n", result->word.c_str(), result->letters);
            sum += result->letters;
        }
    });
    std::printf("%zu letters, never more than %zu words waiting\n", sum, most);
}
// [/pipeline]

int main() {
    return gyre::run(app);
}
