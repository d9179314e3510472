// SPDX-License-Identifier: Apache-2.0
// Vela at the prompt of gyre repl.
#include <utility>

#include "cli/repl.hpp"
#include "cli/vela_file.hpp"
#include "cli/vela_host.hpp"
#include "gyre/app/run.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/vela/repl/repl_session.hpp"
#include "lang/vela/run/interactive.hpp"

namespace gyre::cli {
namespace {

class ReplHost final : public VelaHost {
public:
    using VelaHost::VelaHost;
    [[nodiscard]] bool is_interrupted() noexcept override { return is_interrupt_wanted(); }
};

class VelaRepl final : public ReplLanguage, private vela::InputSource {
public:
    explicit VelaRepl(gyre::Program& program)
        : program_(program), session_(files_), host_(program, {}) {}

    [[nodiscard]] std::string prompt() const override { return "vela> "; }
    [[nodiscard]] bool is_complete(const std::string& lines) override {
        return session_.is_complete(lines);
    }
    [[nodiscard]] std::vector<std::string> completions(const std::string& lines) override {
        return session_.completions(lines);
    }
    [[nodiscard]] std::string help() const override {
        return ":type EXPRESSION  the type of an expression, without running it\n";
    }
    [[nodiscard]] bool command(Prompt& prompt, std::string_view word,
                               const std::string& rest) override {
        if (word != "type") return false;
        const auto type = session_.type_of(rest);
        if (type) {
            prompt.show(*type);
        } else {
            prompt.report(type.error());
        }
        return true;
    }
    [[nodiscard]] int run(Prompt& prompt, ReplTasks tasks) override {
        prompt_ = &prompt;
        const auto main = [&](Scope& root) -> Future<int> {
            root.spawn(tasks.beside());
            const int exit_code = co_await vela::run_interactive(
                session_.lowered(), *this, interruption_, host_, {}, vela_libraries());
            tasks.end();
            co_return exit_code;
        };
        return gyre::run(program_, main).exit_code();
    }
    void interrupt() override { interruption_.request(); }

private:
    [[nodiscard]] Future<std::optional<vela::AddedInput>> next() override {
        for (;;) {
            const std::optional<std::string> input = co_await prompt_->next();
            if (!input) co_return std::nullopt;
            const auto added = session_.add(*input);
            if (added && !session_.warnings().empty()) prompt_->report(session_.warnings());
            if (added) co_return *added;
            prompt_->report(added.error());
        }
    }
    void show(const vela::InputOutcome& outcome) override {
        if (outcome.text.empty()) return;
        if (outcome.is_error) {
            prompt_->report(outcome.text + "\n");
        } else {
            prompt_->show(outcome.text);
        }
    }

    gyre::Program& program_;
    // Who types at the prompt may name any file.
    SystemSourceFiles files_{"/"};
    vela::ReplSession session_;
    ReplHost host_;
    vela::Interruption interruption_;
    Prompt* prompt_ = nullptr;
};

}  // namespace

std::unique_ptr<ReplLanguage> make_vela_repl(gyre::Program& program) {
    return std::make_unique<VelaRepl>(program);
}

}  // namespace gyre::cli
