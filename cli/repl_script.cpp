// SPDX-License-Identifier: Apache-2.0
// JavaScript at the prompt of gyre repl: a script whose library asks for inputs
// (lang/script/library/lazy/repl.js).
#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include "cli/repl.hpp"
#include "cli/script_effects.hpp"
#include "cli/script_engines.hpp"
#include "cli/script_http.hpp"
#include "cli/script_system.hpp"
#include "cli/script_worker.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/actors/actors.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::cli {
namespace {

// As the library numbers them.
enum class Question : std::uint8_t { complete, names, interrupt };
// For the names that Tab asks for: a program that computes has no time for them.
constexpr std::chrono::milliseconds answer_wait_max{500};

class ScriptRepl final : public ReplLanguage {
public:
    ScriptRepl(gyre::Program& program, std::string engine)
        : program_(program),
          request_(request_of(std::move(engine))),
          script_(program.clock(), system_, common_options(request_)),
          world_(script_, executor_),
          actors_(script_, world_),
          http_(add_script_http(script_, world_, false)),
          effects_(add_script_effects(script_, executor_, program, request_)),
          threads_(script_, worker_options(request_)) {
        script_.add_natives(natives_);
    }

    [[nodiscard]] std::string prompt() const override { return "js> "; }
    [[nodiscard]] bool is_complete(const std::string& lines) override {
        return !ask(Question::complete, lines).empty();
    }
    // On the thread that reads: the script's own thread is asked.
    [[nodiscard]] std::vector<std::string> completions(const std::string& lines) override {
        auto asked = std::make_shared<std::promise<std::string>>();
        std::future<std::string> answer = asked->get_future();
        {
            const std::lock_guard lock(mutex_);
            waiting_ = asked;
        }
        script_.post_remote(listener_, static_cast<double>(Question::names), lines);
        std::vector<std::string> names;
        if (answer.wait_for(answer_wait_max) != std::future_status::ready) return names;
        std::istringstream given(answer.get());
        for (std::string name; std::getline(given, name);) names.push_back(name);
        return names;
    }
    [[nodiscard]] bool command(Prompt& /*prompt*/, std::string_view /*word*/,
                               const std::string& /*rest*/) override {
        return false;
    }
    [[nodiscard]] std::string help() const override {
        return "_                 the value of the last input, and _error the last error\n";
    }
    [[nodiscard]] int run(Prompt& prompt, ReplTasks tasks) override {
        prompt_ = &prompt;
        Loop loop(program_.platform(), executor_, program_.loop_options());
        script_.start_repl();
        auto beside = executor_.root().spawn(tasks.beside());
        const int status = script_.run(loop);
        tasks.end();
        system_.abandon_input();
        loop.close();
        return status;
    }
    void interrupt_call() noexcept override { script_.engine().interrupt(); }
    void interrupt() override {
        if (script_.engine().withdraw_interrupt()) static_cast<void>(ask(Question::interrupt, ""));
    }

private:
    static RunRequest request_of(std::string engine) {
        RunRequest request;
        request.engine = std::move(engine);
        return request;
    }
    // Between two jobs; what the library asks for follows in a checkpoint.
    std::string ask(Question question, const std::string& text) {
        answer_.clear();
        const script::Argument given[] = {listener_, static_cast<double>(question),
                                          std::string_view(text)};
        static_cast<void>(script_.engine().call(script::Hook::on_done, given));
        return std::exchange(answer_, {});
    }
    Future<void> read(double done) {
        const std::optional<std::string> input = co_await prompt_->next();
        script_.post_done(done, input ? 1 : 0, input.value_or(""));
    }

    void next(script::NativeCall& call) {
        script_.hold();
        static_cast<void>(executor_.root().spawn(read(call.number(0))));
    }
    void show(script::NativeCall& call) { prompt_->show(call.text(0)); }
    void report(script::NativeCall& call) { prompt_->report(call.text(0)); }
    void listen(script::NativeCall& call) { listener_ = call.number(0); }
    void answer(script::NativeCall& call) {
        answer_ = call.text(0);
        const std::lock_guard lock(mutex_);
        if (waiting_ != nullptr) std::exchange(waiting_, nullptr)->set_value(answer_);
    }

    gyre::Program& program_;
    const RunRequest request_;
    ScriptSystem system_;
    Executor executor_;
    script::Script script_;
    script::World world_;
    script::ScriptActors actors_;
    const std::shared_ptr<void> http_;
    const std::shared_ptr<void> effects_;
    script::Threads threads_;
    Prompt* prompt_ = nullptr;
    double listener_ = 0;
    std::string answer_;
    std::mutex mutex_;
    std::shared_ptr<std::promise<std::string>> waiting_;  // guarded by the mutex
    template <void (ScriptRepl::*member)(script::NativeCall&)>
    static void native(void* host, script::NativeCall& call) {
        (static_cast<ScriptRepl*>(host)->*member)(call);
    }
    std::array<script::Native, 5> natives_ = {
        script::Native{"replNext", &native<&ScriptRepl::next>, this},
        script::Native{"replShow", &native<&ScriptRepl::show>, this},
        script::Native{"replReport", &native<&ScriptRepl::report>, this},
        script::Native{"replListen", &native<&ScriptRepl::listen>, this},
        script::Native{"replAnswer", &native<&ScriptRepl::answer>, this}};
};

}  // namespace

std::unique_ptr<ReplLanguage> make_script_repl(gyre::Program& program, std::string engine) {
    return std::make_unique<ScriptRepl>(program, std::move(engine));
}

}  // namespace gyre::cli
