// SPDX-License-Identifier: Apache-2.0
// A script for each tenant, with limits: one that takes too much memory, one that fails and one that
// exits end by themselves, and the others go on.
//
//     $ build/release/bin/examples/53_script_per_tenant
//     good: 42
//     good: status 0
//     greedy: status 4
//     broken: status 1
//     leaving: status 7
//     after: still here
//     after: status 0

#include <cstdio>
#include <string>
#include <utility>

#include "gyre/app/program.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"

using namespace gyre;

// [limits]
script::ScriptOptions limits() {
    return {.engine = script::v8::make_engine, .memory_limit_bytes = std::size_t{32} << 20u};
}
// [/limits]

class Tenant final : public script::System {
public:
    explicit Tenant(std::string name) : name_(std::move(name)) {}

    int run(Program& program, std::string_view text) {
        script::Script script(program.clock(), *this, limits());
        Loop loop(program.platform(), script.pump(), program.loop_options());
        script.start_text(text);
        const int status = script.run(loop);
        loop.close();
        return status;
    }

private:
    void write(int stream, std::string_view text) override {
        if (stream == 1) {
            std::printf("%s: %.*s", name_.c_str(), static_cast<int>(text.size()), text.data());
        }
    }
    std::string name_;
};

int main() {
    Program program;
    const std::pair<const char*, const char*> tenants[] = {
        {"good", "setTimeout(() => console.log(6 * 7), 1);"},
        {"greedy", "const all = []; for (;;) all.push(new Array(1000).fill(0.5));"},
        {"broken", "null.x;"},
        {"leaving", "process.exit(7);"},
        {"after", "console.log('still here');"},
    };
    for (const auto& [name, text] : tenants) {
        std::printf("%s: status %d\n", name, Tenant(name).run(program, text));
    }
}
