// SPDX-License-Identifier: Apache-2.0
// Both languages await each other: a script awaits a C++ task, which sleeps on the script's own loop,
// and C++ awaits a promise of the script, which the script settles by a call of the host.
//
//     $ build/release/bin/examples/54_script_and_tasks
//     script: asks for 20
//     C++: doubled 20
//     script: got 40
//     C++: the script answers {"total":41}

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "gyre/app/program.hpp"
#include "gyre/kernel/loop.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"

using namespace gyre;
using namespace std::chrono_literals;

class Screen final : public script::System {
    void write(int /*stream*/, std::string_view text) override {
        std::printf("script: %.*s", static_cast<int>(text.size()), text.data());
    }
};

// A machine of the script's loop that answers a call 10 ms later: the script awaits C++.
struct Doubler final : Machine {
    Doubler() : Machine("doubler") {}
    void accept(script::Call call) {
        call_.emplace(std::move(call));
        timer_.deadline = loop().now() + 10ms;
        submit(timer_);
    }
    void tick(Instant /*now*/) override {
        while (next_completion() != nullptr) {
            int number = 0;
            std::sscanf(call_->arguments().c_str(), "[%d", &number);
            std::printf("C++: doubled %d\n", number);
            call_->resolve(std::to_string(2 * number));
        }
    }

    TimerOp timer_;
    std::optional<script::Call> call_;
};

constexpr const char* text = R"(
    async function total(number) {
        console.log('asks for', number);
        const doubled = await gyre.call('double', number);
        console.log('got', doubled);
        return { total: doubled + 1 };
    }
    total(20).then((value) => gyre.call('answer', value));
)";

int main() {
    Program program;
    Screen screen;
    script::Script script(program.clock(), screen, {.engine = script::v8::make_engine});
    Doubler doubler;
    script.pump().add_child(doubler);
    script.add_function("double", [&](script::Call call) { doubler.accept(std::move(call)); });
    // C++ awaits the script: the promise's value arrives as the argument of this call.
    script.add_function("answer", [](script::Call call) {
        const std::string json = call.arguments();
        std::printf("C++: the script answers %s\n", json.substr(1, json.size() - 2).c_str());
        call.resolve("null");
    });
    Loop loop(program.platform(), script.pump(), program.loop_options());
    script.start_text(text);
    const int status = script.run(loop);
    loop.close();
    return status;
}
