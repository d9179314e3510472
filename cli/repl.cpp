// SPDX-License-Identifier: Apache-2.0
// gyre repl: reads inputs of a language, runs them on one loop, and shows their values. Reading
// happens on a thread for blocking work, so that timers and servers of the program go on meanwhile.
#include "cli/repl.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/line_reader.hpp"
#include "gyre/app/program.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/task/thread/thread_channel.hpp"

namespace gyre::cli {
namespace {

// Set by the handler of SIGINT, which also writes a byte into the pipe: the flag is seen by an input
// that never lets the loop turn, the byte by the task that passes interrupts on.
volatile std::sig_atomic_t is_interrupted = 0;
int interrupt_pipe[2] = {-1, -1};

void on_interrupt(int /*number*/) {
    const int saved = errno;
    is_interrupted = 1;
    const char byte = 1;
    static_cast<void>(!::write(interrupt_pipe[1], &byte, 1));
    errno = saved;
}

void catch_interrupts() {
    if (pipe2(interrupt_pipe, O_CLOEXEC) != 0) {
        throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    struct sigaction action = {};
    action.sa_handler = &on_interrupt;
    action.sa_flags = SA_RESTART;
    static_cast<void>(sigaction(SIGINT, &action, nullptr));
}

constexpr const char* general_help =
    ":help             these lines\n"
    ":quit             the end, like Ctrl-D\n";

class TerminalPrompt final : public Prompt {
public:
    TerminalPrompt(ReplLanguage& language, const char* history)
        : language_(language),
          reader_(make_line_reader(
              [this](const std::string& text) { return language_.completions(text); }, history)) {}

    // Ctrl-C: drops the lines that are being typed, or ends the input that runs; the call that
    // computes before, on any thread.
    void interrupt_call() noexcept {
        const std::lock_guard lock(mutex_);
        if (!is_reading_) language_.interrupt_call();
    }
    void drop_line() noexcept { reader_->interrupt(); }
    void interrupt() {
        if (is_reading_) {
            reader_->interrupt();
        } else {
            language_.interrupt();
        }
    }

    [[nodiscard]] Future<std::optional<std::string>> next() override {
        std::string input;
        for (;;) {
            const std::string prompt = input.empty() ? language_.prompt() : "  ... ";
            set_reading(true);
            is_interrupted = 0;
            auto read = [this, &prompt] { return reader_->read(prompt); };
            Line line = co_await blocking(read);
            set_reading(false);
            if (line.kind == Line::Kind::too_long) {
                report("the limit on a line is " + std::to_string(LineReader::line_bytes_max) +
                       " bytes (line_bytes_max)\n");
            }
            if (line.kind == Line::Kind::interrupted || line.kind == Line::Kind::too_long) {
                input.clear();
                continue;
            }
            if (line.kind == Line::Kind::end) {
                // An input that is not finished gets its error.
                if (input.empty()) co_return std::nullopt;
                co_return input;
            }
            if (input.empty() && is_command(line.text)) {
                if (is_over_) co_return std::nullopt;
                continue;
            }
            input += line.text;
            if (input.find_first_not_of(" \t\r\n") == std::string::npos) {
                input.clear();
                continue;
            }
            if (language_.is_complete(input)) {
                reader_->remember(input);
                co_return input;
            }
            input += '\n';
        }
    }

    void show(std::string_view text) override {
        std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
        static_cast<void>(std::fflush(stdout));
    }
    void report(std::string_view text) override {
        static_cast<void>(std::fflush(stdout));
        std::fprintf(stderr, "%.*s", static_cast<int>(text.size()), text.data());
    }

private:
    void set_reading(bool is_reading) {
        const std::lock_guard lock(mutex_);
        is_reading_ = is_reading;
    }
    // Lines with a colon first are for the prompt, or commands of the language.
    bool is_command(const std::string& line) {
        if (!line.starts_with(':')) return false;
        const std::size_t end = line.find(' ');
        const std::string word = line.substr(1, end == std::string::npos ? end : end - 1);
        const std::string rest = end == std::string::npos ? "" : line.substr(end + 1);
        if (word == "quit") {
            is_over_ = true;
        } else if (word == "help") {
            show(general_help + language_.help());
        } else if (!language_.command(*this, word, rest)) {
            report("there is no command `:" + word + "`; `:help` lists them\n");
        }
        return true;
    }

    ReplLanguage& language_;
    std::unique_ptr<LineReader> reader_;
    std::mutex mutex_;
    bool is_reading_ = false;  // written on the loop's thread, with the mutex
    bool is_over_ = false;
};

// A thread reads the pipe until the byte 0 comes: a call that computes ends however long the loop has not turned,
// and so does a job behind it, by the next Ctrl-C. The rest of the answer is the loop's.
Future<void> pass_on_interrupts(TerminalPrompt& prompt) {
    ThreadChannel<char> typed(1);
    auto read = [&prompt, &typed] {
        char byte = 0;
        while (::read(interrupt_pipe[0], &byte, 1) == 1 && byte != 0) {
            if (is_interrupt_wanted()) prompt.interrupt_call();
            static_cast<void>(typed.try_send(byte));  // Full: the one before has not been answered.
        }
        typed.close();
    };
    auto body = [&](Scope& scope) -> Future<void> {
        scope.spawn([&read]() -> Future<void> { co_await blocking(read); });
        while (co_await typed.receive()) {
            // An input that has ended because of it has answered it.
            if (is_interrupt_wanted()) prompt.interrupt();
        }
    };
    co_await with_scope(body);
}

}  // namespace

int run_repl(const char* history,
             const std::function<std::unique_ptr<ReplLanguage>(gyre::Program&)>& make_language) {
    ProgramOptions options;
    options.run.handles_signals = false;
    // An input may compute for as long as its writer likes.
    options.run.blocked_after = Duration::zero();
    catch_interrupts();
    gyre::Program program(options);
    const std::unique_ptr<ReplLanguage> language = make_language(program);
    TerminalPrompt prompt(*language, history);
    const ReplTasks tasks = {.beside = [&prompt] { return pass_on_interrupts(prompt); },
                             .end =
                                 [&prompt] {
                                     prompt.drop_line();
                                     const char last = 0;
                                     static_cast<void>(!::write(interrupt_pipe[1], &last, 1));
                                 }};
    return language->run(prompt, tasks);
}

bool is_interrupt_wanted() noexcept {
    return is_interrupted != 0;
}

void add_repl(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("repl", "Run what you type, line by line, and show its value");
    auto language = std::make_shared<std::string>("vela");
    auto engine = std::make_shared<std::string>();
    choose(*command->add_option("--language", *language, "The language; default: vela"),
           {"vela", "js"});
    choose(*command->add_option("--engine", *engine, "The JavaScript engine"), {"v8", "quickjs"});
    command->callback([language, engine, &exit_code] {
        const auto make = [&](gyre::Program& of) {
            return *language == "vela" ? make_vela_repl(of) : make_script_repl(of, *engine);
        };
        exit_code = static_cast<ExitCode>(run_repl("repl_history", make));
    });
}

}  // namespace gyre::cli
