// SPDX-License-Identifier: Apache-2.0
// A C++ program gives a script an async function and a stream of values: the script awaits them, and
// the loop is never blocked.
//
//     $ build/release/bin/examples/52_embed_script
//     script: the host says 5
//     script: value 0
//     script: value 1
//     script: value 2
//     script: the stream has ended

// [head]
#include <cstdio>
#include <string>

#include "gyre/app/program.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"

using namespace gyre;
// [/head]

// [system]
// What the script sees of the system: it may print.
class Screen final : public script::System {
    void write(int /*stream*/, std::string_view text) override {
        std::printf("script: %.*s", static_cast<int>(text.size()), text.data());
    }
};
// [/system]

constexpr const char* text = R"(
    const values = { async *[Symbol.asyncIterator]() {
        for (let v; (v = await gyre.call('next')) !== null;) yield v;
    } };
    (async () => {
        console.log('the host says', await gyre.call('add', 2, 3));
        for await (const value of values) console.log('value', value);
        console.log('the stream has ended');
    })();
)";

// [functions]
// A call is settled at once, or later from anywhere on this thread.
void add_functions(script::Script& script, int& next) {
    script.add_function("add", [](script::Call call) {
        int a = 0;
        int b = 0;
        std::sscanf(call.arguments().c_str(), "[%d,%d]", &a, &b);
        call.resolve(std::to_string(a + b));
    });
    script.add_function("next", [&next](script::Call call) {
        call.resolve(next < 3 ? std::to_string(next++) : "null");
    });
}
// [/functions]

// [run]
int run(Program& program, Screen& screen) {
    int next = 0;
    script::Script script(program.clock(), screen, {.engine = script::v8::make_engine});
    add_functions(script, next);
    Loop loop(program.platform(), script.pump(), program.loop_options());
    script.start_text(text);
    const int status = script.run(loop);
    loop.close();
    return status;
}
// [/run]

int main() {
    Program program;
    Screen screen;
    return run(program, screen);
}
