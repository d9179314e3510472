// SPDX-License-Identifier: Apache-2.0
// gyre uv: runs a program that uses libuv with compat/uv in its place.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/trace_option.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {
namespace {

constexpr const char* library_name = "libuv.so.1";

// Beside the program: lib/uv of a build, lib/gyre/uv of an installation.
std::filesystem::path library_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path root = program.parent_path().parent_path();
    for (const char* folder : {"lib/uv", "lib/gyre/uv", "lib64/gyre/uv", GYRE_UV_INSTALLED}) {
        if (std::filesystem::exists(root / folder / library_name, error)) return root / folder;
    }
    throw UsageError(
        "the library libuv.so.1 of gyre was not found: this build is without it, because uv.h was "
        "not there (Debian: libuv1-dev)");
}

struct Inspect {
    bool tells_figures = false;
    std::string trace_path;
};

// In the child. Names of files are the program's business from here on: they are made absolute.
void set_environment(const std::filesystem::path& folder, int report_fd, const Inspect& inspect) {
    std::string path = folder.string();
    if (const char* before = std::getenv("LD_LIBRARY_PATH"); before != nullptr && *before != '\0') {
        path += ":";
        path += before;
    }
    ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    ::setenv("GYRE_UV_REPORT_FD", std::to_string(report_fd).c_str(), 1);
    ::setenv("GYRE_UV_PROCESS", std::to_string(::getpid()).c_str(), 1);
    if (inspect.tells_figures) ::setenv("GYRE_UV_STATS", "1", 1);
    if (inspect.trace_path.empty()) return;
    ::setenv(trace::file_variable, std::filesystem::absolute(inspect.trace_path).c_str(), 1);
}

// ---- Signals ----

constexpr std::array passed_signals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t program_pid = 0;

// What the terminal sends, it sends to the program too.
void pass_on(int number, siginfo_t* info, void* /*context*/) {
    const int error = errno;
    if (info->si_code <= 0 && program_pid > 0) ::kill(program_pid, number);
    errno = error;
}

// Blocks the signals that are passed on, until the program runs.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t held;
        ::sigemptyset(&held);
        for (const int number : passed_signals) ::sigaddset(&held, number);
        ::sigprocmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeld() { release(); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    void release() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

void pass_signals_to(pid_t pid) {
    program_pid = pid;
    struct sigaction action{};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (const int number : passed_signals) ::sigaction(number, &action, nullptr);
}

// The status of the program, 128 plus the number of the signal that ended it.
int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return 1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The library writes one byte when it is loaded, in the program or in one that it starts.
bool was_loaded(int report_fd) {
    char byte = 0;
    return ::read(report_fd, &byte, 1) == 1;
}

int run_program(std::vector<std::string> words, const Inspect& inspect) {
    const std::filesystem::path folder = library_folder();
    std::array<int, 2> report{};
    if (::pipe(report.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    ::fcntl(report[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(report[0], F_SETFL, O_NONBLOCK);
    ::fcntl(report[1], F_SETFL, O_NONBLOCK);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const SignalsHeld held;
    const pid_t pid = ::fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) {
        held.release();
        set_environment(folder, report[1], inspect);
        ::execvp(arguments[0], arguments.data());
        std::fprintf(stderr, "gyre uv: %s cannot be run: %s\n", arguments[0], std::strerror(errno));
        ::_exit(errno == ENOENT ? 127 : 126);
    }
    ::close(report[1]);
    // They are for the program, whose end this one reports.
    pass_signals_to(pid);
    held.release();
    const int status = wait_for(pid);
    if (status != 127 && status != 126 && !was_loaded(report[0])) {
        std::fprintf(
            stderr,
            "gyre uv: %s never loaded libuv.so.1: it does not use libuv, has a copy of its "
            "own (linked in, or found by its RPATH), or is setuid\n",
            words[0].c_str());
    }
    return status;
}

}  // namespace

void add_uv(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("uv", "Run a program that uses libuv on gyre's loop");
    auto words = std::make_shared<std::vector<std::string>>();
    auto inspect = std::make_shared<Inspect>();
    command->add_option("program", *words, "The program and its arguments")->required();
    command->add_flag("--stats", inspect->tells_figures,
                      "At its end, print each loop's figures, and its handles with the places "
                      "where they were made");
    add_trace_option(*command, inspect->trace_path);
    command->callback([words, inspect, &exit_code] {
        exit_code = static_cast<ExitCode>(run_program(*words, *inspect));
    });
}

}  // namespace gyre::cli
