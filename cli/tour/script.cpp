// SPDX-License-Identifier: Apache-2.0
// A script that queues a job of each kind, beside an endless chain of promises in another script:
// the first runs in Node's order, the second is stopped.
#include <string>

#include "cli/script_engines.hpp"
#include "cli/tour/stage.hpp"
#include "lang/script/script.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* orderly = R"(
    setTimeout(() => console.log('timer'), 100);
    setImmediate(() => console.log('immediate'));
    Promise.resolve().then(() => console.log('promise'));
    process.nextTick(() => console.log('tick'));
    console.log('script');
)";
constexpr const char* endless = "(function next() { Promise.resolve().then(next); })()";
constexpr int turns = 1000;

class ScriptOutput final : public script::System {
public:
    void write(int /*stream*/, std::string_view written) override {
        for (const char c : written) text += c == '\n' ? ' ' : c;
    }
    std::string text;
};

}  // namespace

bool show_script(const Stage& stage) {
    stage.page.say(
        "JavaScript runs on the same loop, in Node's order. An endless chain of promises in "
        "a second script does not stop the loop.");
    const auto platform = stage.make_platform();
    ScriptOutput output;
    script::Script first(stage.clock, output, {.engine = script_engine({})});
    Loop loop(*platform, first.pump(), stage.loop_options("script"));
    first.start_text(orderly);
    const int status = first.run(loop);
    loop.close();

    const auto other_platform = stage.make_platform();
    script::Script second(stage.clock, output, {.engine = script_engine({})});
    Loop other(*other_platform, second.pump(), stage.loop_options("script"));
    second.start_text(endless);
    for (int i = 0; i < turns; ++i) other.turn();
    second.stop(script::Stop::cancelled);
    const int stopped = second.run(other);
    other.close();

    stage.page.saw("The script printed: " + output.text + "- and the loop turned " +
                   std::to_string(turns) + " times beside the endless one.");
    return status == 0 && stopped == 4 && output.text == "script tick promise immediate timer ";
}

}  // namespace gyre::cli
