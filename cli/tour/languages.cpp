// SPDX-License-Identifier: Apache-2.0
// One program of each language on one loop, each awaits the next: JavaScript awaits a Vela program, which awaits a C++
// server, which awaits a WebAssembly module, which awaits JavaScript.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "cli/script_engines.hpp"
#include "cli/tour/asking_options.hpp"
#include "cli/tour/stage.hpp"
#include "cli/vela_host.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "lang/script/script.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::cli {
namespace {

// Asks Vela, and answers the question of the module meanwhile.
constexpr const char* script_text = R"(
    async function helpModule() {
        const number = await gyre.call('question');
        console.log('JavaScript squares ' + number);
        await gyre.call('answer', number * number);
    }
    async function main() {
        const [found] = await Promise.all([gyre.call('vela', 5), helpModule()]);
        console.log('JavaScript has ' + found);
    }
    main();
)";

// Its arguments are the address of the server and the number to ask for.
constexpr const char* vela_text = R"(import 'system:net'
import 'system:process'

async fn main() -> void {
  connection = await connect(args[0])
  await connection.write("${args[1]}\n")
  answer = (await connection.readLine()) ?? ""
  connection.close()
  print(answer.toNumber().unwrapOr(0) * 2)
}
)";

// Asks its host, and adds 1 to the answer.
constexpr const char* wasm_text = R"((module
    (import "tour" "ask" (func $ask (param i32) (result i32)))
    (func (export "main") (param i32) (result i32)
        (i32.add (call $ask (local.get 0)) (i32.const 1)))))";

// `[5]`, the arguments of a call, or `5\n`, a line.
int number_in(std::string_view text) {
    const std::size_t at = text.find_first_of("0123456789");
    int number = 0;
    if (at != std::string_view::npos) {
        std::from_chars(text.data() + at, text.data() + text.size(), number);
    }
    return number;
}

class Output final : public script::System {
public:
    explicit Output(std::vector<std::string>& lines) : lines_(lines) {}
    void write(int /*stream*/, std::string_view text) override {
        while (text.ends_with('\n')) text.remove_suffix(1);
        lines_.emplace_back(text);
    }

private:
    std::vector<std::string>& lines_;
};

class VelaOutside final : public vela::RunHost {
public:
    VelaOutside(Clock& clock, std::vector<std::string> arguments)
        : clock_(clock), arguments_(std::move(arguments)) {}
    void print(std::string_view line) override { printed = line; }
    void report(std::string_view line) override { printed = line; }
    [[nodiscard]] Instant time() noexcept override { return clock_.now(); }
    [[nodiscard]] std::vector<std::string> arguments() override { return arguments_; }

    std::string printed;

private:
    Clock& clock_;
    const std::vector<std::string> arguments_;
};

class Ring {
public:
    explicit Ring(const Stage& stage)
        : stage_(stage),
          platform_(stage.make_platform()),
          output_(lines),
          script_(stage.clock, output_, {.engine = script_engine({})}),
          guest_(wasm::Program::read(engine_->compile(wasm_text)), asking_options()) {
        vela::SourceTable no_files;
        checked_ = vela::check("tour.vela", vela_text, no_files);
        if (!checked_->diagnostics.has_errors()) lowered_ = vela::lower(*checked_);
        executor_.add_child(script_.pump());
        add_functions();
        loop_.emplace(*platform_, executor_, stage.loop_options("languages"));
    }
    ~Ring() { loop_->close(); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    // The exit status of the script.
    int run() {
        if (lowered_ == nullptr) return 1;
        executor_.root().spawn([this] { return serve(); });
        return script_.run(*loop_);
    }

    std::vector<std::string> lines;

private:
    void add_functions() {
        script_.add_function("vela", [this](script::Call call) {
            executor_.root().spawn([this](script::Call of) { return run_vela(std::move(of)); },
                                   std::move(call));
        });
        script_.add_function("question", [this](script::Call call) {
            question_.emplace(std::move(call));
            pass_question();
        });
        script_.add_function("answer", [this](script::Call call) {
            reply_->answer(effect::tail(number_in(call.arguments())));
            call.resolve("null");
        });
        handlers_.on("tour", "ask", effect::any_signature,
                     [this](effect::Context&, effect::Arguments arguments, effect::Reply reply) {
                         asked_ = arguments[0].integer();
                         lines.push_back("WebAssembly asks for " + std::to_string(*asked_));
                         reply_.emplace(std::move(reply));
                         pass_question();
                     });
    }
    // JavaScript waits for a question, and the module has one: in either order.
    void pass_question() {
        if (!question_ || !asked_) return;
        question_->resolve(std::to_string(*asked_));
        question_.reset();
    }
    Future<void> run_vela(script::Call call) {
        const int number = number_in(call.arguments());
        VelaOutside outside(stage_.clock, {address_, std::to_string(number)});
        lines.push_back("Vela asks for " + std::to_string(number));
        const int code = co_await vela::run_program(*lowered_, outside, {}, vela_libraries());
        lines.push_back("Vela has " + outside.printed);
        code == 0 ? call.resolve(outside.printed) : call.reject(outside.printed);
    }
    // One connection: a line with a number, for the module, and a line with its value.
    Future<void> serve() {
        const net::Listener listener = co_await net::listen(Address::loopback());
        address_ = listener.local_address().value().to_string();
        script_.start_text(script_text);
        const net::Connection stream = co_await listener.accept();
        std::array<std::byte, 64> buffer;
        const std::size_t size = co_await stream.read(buffer);
        const int number = number_in(text_of(ConstBytes(buffer).first(size)));
        lines.push_back("C++ asks for " + std::to_string(number));
        const int found =
            co_await scheduler_.call<int>(guest_, handlers_, "main", effect::Arguments::of(number));
        lines.push_back("C++ has " + std::to_string(found));
        const std::string line = std::to_string(found) + "\n";
        co_await stream.write(bytes_of(line));
    }

    const Stage& stage_;
    std::unique_ptr<Platform> platform_;
    Output output_;
    Executor executor_;
    script::Script script_;
    effect::Scheduler scheduler_{executor_};
    effect::Handlers handlers_;
    std::unique_ptr<vela::Program> checked_;
    std::unique_ptr<vela::Lowered> lowered_;
    std::unique_ptr<wasm::Engine> engine_ = wasm::make_wasmtime();
    wasm::WasmGuest guest_;
    std::string address_;  // of the server
    std::optional<std::int64_t> asked_;
    std::optional<script::Call> question_;
    std::optional<effect::Reply> reply_;
    std::optional<Loop> loop_;
};

const std::vector<std::string> wanted = {
    "Vela asks for 5", "C++ asks for 5", "WebAssembly asks for 5", "JavaScript squares 5",
    "C++ has 26",      "Vela has 52",    "JavaScript has 52"};

}  // namespace

bool show_languages(const Stage& stage) {
    stage.page.say(
        "One loop, four languages, each awaits the next: JavaScript awaits a Vela program, which "
        "awaits a C++ server over TCP, which awaits a WebAssembly module, which awaits "
        "JavaScript.");
    Ring ring(stage);
    const int status = ring.run();
    std::string told;
    for (const std::string& line : ring.lines) told += (told.empty() ? "" : ", ") + line;
    const bool is_right = status == 0 && ring.lines == wanted;
    if (is_right) {
        stage.page.saw(told + ".");
    } else {
        stage.page.failed("The ring did not close: " + told + ".");
    }
    return is_right;
}

}  // namespace gyre::cli
