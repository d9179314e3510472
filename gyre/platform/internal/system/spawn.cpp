// SPDX-License-Identifier: Apache-2.0
// Starts a child. posix_spawn does the work between fork and exec: in the parent's memory and with
// its thread stopped, so that nothing is allocated or locked there, whatever other threads do; an
// error of exec is its result. All of its arguments are prepared before.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <thread>

#include "gyre/platform/internal/system/own_fd.hpp"
#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_children.hpp"

extern char** environ;

namespace gyre::platform {
namespace {

constexpr int stream_count = 3;

// Both ends of the pipes, until they are passed on. Close-on-exec, and with numbers above the
// child's standard streams, so that none overwrites another.
class Pipes {
public:
    Pipes() = default;
    Pipes(const Pipes&) = delete;
    Pipes& operator=(const Pipes&) = delete;
    ~Pipes() {
        for (const auto& ends : {ours_, theirs_}) {
            for (const Fd fd : ends) {
                if (fd >= 0) ::close(fd);
            }
        }
    }

    Result<void> make(int stream) {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) < 0) return last_error();
        const auto place = static_cast<std::size_t>(stream);
        ours_[place] = stream == 0 ? ends[1] : ends[0];
        theirs_[place] = stream == 0 ? ends[0] : ends[1];
        for (Fd* fd : {&ours_[place], &theirs_[place]}) {
            if (*fd >= stream_count) continue;
            const int moved = ::fcntl(*fd, F_DUPFD_CLOEXEC, stream_count);
            if (moved < 0) return last_error();
            ::close(std::exchange(*fd, moved));
        }
        return outcome_of([&] { return ::fcntl(ours_[place], F_SETFL, O_NONBLOCK); });
    }
    [[nodiscard]] Fd theirs(int stream) const noexcept {
        return theirs_[static_cast<std::size_t>(stream)];
    }
    [[nodiscard]] std::array<Fd, stream_count> take_ours() noexcept {
        return std::exchange(ours_, {-1, -1, -1});
    }

private:
    std::array<Fd, stream_count> ours_{-1, -1, -1};
    std::array<Fd, stream_count> theirs_{-1, -1, -1};
};

// Copies of the parent's descriptors that the plan passes, with numbers above all of the child's.
class DescriptorCopies {
public:
    DescriptorCopies() = default;
    DescriptorCopies(const DescriptorCopies&) = delete;
    DescriptorCopies& operator=(const DescriptorCopies&) = delete;
    ~DescriptorCopies() {
        for (const Place& place : places_) {
            if (place.copy >= 0) ::close(place.copy);
        }
    }

    Result<void> make(const std::vector<ChildDescriptor>& wanted) {
        for (const ChildDescriptor& each : wanted) {
            if (each.number < 0 || each.number >= SpawnPlan::descriptor_count_max) {
                return std::unexpected(Error(std::errc::invalid_argument));
            }
            places_.resize(std::max(places_.size(), static_cast<std::size_t>(each.number) + 1));
        }
        for (const ChildDescriptor& each : wanted) {
            Place& place = places_[static_cast<std::size_t>(each.number)];
            place.is_closed = each.source < 0;
            if (place.is_closed) continue;
            const int copy = ::fcntl(each.source, F_DUPFD_CLOEXEC, std::max(end(), stream_count));
            if (copy < 0) return last_error();
            if (const int before = std::exchange(place.copy, copy); before >= 0) ::close(before);
        }
        return {};
    }
    [[nodiscard]] int end() const noexcept { return static_cast<int>(places_.size()); }
    [[nodiscard]] Fd source_of(int number) const noexcept {
        return places_[static_cast<std::size_t>(number)].copy;
    }
    [[nodiscard]] bool closes(int number) const noexcept {
        return places_[static_cast<std::size_t>(number)].is_closed;
    }

private:
    struct Place {
        Fd copy = -1;
        bool is_closed = false;
    };
    std::vector<Place> places_;
};

class FileActions {
public:
    FileActions() noexcept { ::posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    [[nodiscard]] int add_stream(int stream, StandardStream kind, Fd pipe) noexcept {
        switch (kind) {
            case StandardStream::pipe:
                return ::posix_spawn_file_actions_adddup2(&actions_, pipe, stream);
            case StandardStream::nothing:
                return ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null",
                                                          stream == 0 ? O_RDONLY : O_WRONLY, 0);
            case StandardStream::to_output:
                return ::posix_spawn_file_actions_adddup2(&actions_, 1, stream);
            case StandardStream::inherited:
                break;
        }
        return 0;
    }
    [[nodiscard]] int enter(const std::string& folder) noexcept {
        if (folder.empty()) return 0;
        return ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    // The copies are above all numbers of the child, so none overwrites another.
    [[nodiscard]] int add_descriptors(const DescriptorCopies& copies) noexcept {
        int status = 0;
        for (int number = 0; number < copies.end() && status == 0; ++number) {
            if (const Fd source = copies.source_of(number); source >= 0) {
                status = ::posix_spawn_file_actions_adddup2(&actions_, source, number);
            } else if (number >= stream_count || copies.closes(number)) {
                status = ::posix_spawn_file_actions_addclose(&actions_, number);
            }
        }
        return status;
    }
    // Last: descriptors that other code left open without close-on-exec are not for the child
    // either.
    [[nodiscard]] int close_from(int number) noexcept {
        return ::posix_spawn_file_actions_addclosefrom_np(&actions_, number);
    }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

// No signal is blocked or ignored in a child, whatever thread starts it.
class Attributes {
public:
    explicit Attributes(const SpawnPlan& plan) noexcept {
        ::posix_spawnattr_init(&attributes_);
        sigset_t none{};
        sigset_t all{};
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (plan.has_own_session) flags |= POSIX_SPAWN_SETSID;
        if (plan.has_own_group && !plan.has_own_session) flags |= POSIX_SPAWN_SETPGROUP;
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

// The user and group of the child, which posix_spawn cannot set. A system call changes the identity
// of one thread (the C library's functions carry it to the others), and a child gets that of the
// thread that starts it. So a thread takes it on, starts the child, and ends.
class Identity {
public:
    explicit Identity(const SpawnPlan& plan) noexcept : user_(plan.user), group_(plan.group) {}

    // Runs the call with that identity.
    int run(auto call) const {
        if (!user_ && !group_) return call();
        int status = 0;
        std::thread([&] {
            status = take_on();
            if (status == 0) status = call();
        }).join();
        return status;
    }

private:
    // The supplementary groups of a privileged parent are not for the child.
    [[nodiscard]] int take_on() const noexcept {
        (void)::syscall(SYS_setgroups, 0, nullptr);
        if (group_ && ::syscall(SYS_setresgid, *group_, *group_, *group_) < 0) return errno;
        if (user_ && ::syscall(SYS_setresuid, *user_, *user_, *user_) < 0) return errno;
        return 0;
    }

    const std::optional<std::uint32_t> user_;
    const std::optional<std::uint32_t> group_;
};

// As argv and envp: pointers, with a null at the end. The texts outlive it.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_of(const SpawnPlan& plan) {
    std::vector<std::string> lines;
    for (char** each = environ; plan.inherits_environment && *each != nullptr; ++each) {
        const std::string_view line = *each;
        const std::string_view name = line.substr(0, line.find('='));
        bool is_said_anew = false;
        for (const auto& [other, value] : plan.environment) is_said_anew |= name == other;
        if (!is_said_anew) lines.emplace_back(line);
    }
    for (const auto& [name, value] : plan.environment) lines.push_back(name + "=" + value);
    return lines;
}

bool is_plan(const SpawnPlan& plan) noexcept {
    bool is_valid = is_path(plan.program) && is_path(plan.folder) && is_path(plan.own_name);
    for (const std::string& text : plan.arguments) is_valid = is_valid && is_path(text);
    for (const auto& [name, value] : plan.environment) {
        is_valid = is_valid && is_path(name) && is_path(value) && !name.empty() &&
                   name.find('=') == std::string::npos;
    }
    return is_valid && plan.streams[0] != StandardStream::to_output &&
           plan.streams[1] != StandardStream::to_output;
}

// A write to a pipe without a reader must be an error (EPIPE), not end this process.
void survive_broken_pipes() noexcept {
    struct sigaction present{};
    if (::sigaction(SIGPIPE, nullptr, &present) < 0) return;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
    present.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &present, nullptr);
}

std::unexpected<Error> error_of(int number) noexcept {
    return std::unexpected(Error(static_cast<std::errc>(number)));
}

}  // namespace

Result<SpawnedChild> SystemChildren::spawn(const SpawnPlan& plan) {
    if (!is_plan(plan)) return no_path();
    if (plan.program.empty()) return error_of(ENOENT);
    Pipes pipes;
    DescriptorCopies copies;
    if (const Result<void> made = copies.make(plan.descriptors); !made) {
        return std::unexpected(made.error());
    }
    FileActions actions;
    for (int stream = 0; stream < stream_count; ++stream) {
        const StandardStream kind = plan.streams[static_cast<std::size_t>(stream)];
        if (kind == StandardStream::pipe) {
            if (const Result<void> made = pipes.make(stream); !made) {
                return std::unexpected(made.error());
            }
        }
        const int status = actions.add_stream(stream, kind, pipes.theirs(stream));
        if (status != 0) return error_of(status);
    }
    if (const int status = actions.enter(plan.folder); status != 0) return error_of(status);
    if (const int status = actions.add_descriptors(copies); status != 0) return error_of(status);
    const int first_closed = std::max(stream_count, copies.end());
    if (const int status = actions.close_from(first_closed); status != 0) return error_of(status);

    const Attributes attributes(plan);
    std::vector<std::string> words{plan.own_name.empty() ? plan.program : plan.own_name};
    words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
    std::vector<std::string> lines = environment_of(plan);
    const std::vector<char*> arguments = pointers_to(words);
    const std::vector<char*> environment = pointers_to(lines);
    if (plan.streams[0] == StandardStream::pipe) survive_broken_pipes();

    SpawnedChild spawned;
    const Identity identity(plan);
    const int status = identity.run([&] {
        return ::posix_spawnp(&spawned.pid, plan.program.c_str(), actions.get(), attributes.get(),
                              arguments.data(), environment.data());
    });
    if (status != 0) return error_of(status);
    const Result<Fd> process = watch(spawned.pid);
    if (!process) {
        // Killed: without a pidfd its exit could not be reported.
        ::kill(spawned.pid, SIGKILL);
        (void)without_interruption([&] { return ::waitpid(spawned.pid, nullptr, 0); });
        return std::unexpected(process.error());
    }
    spawned.process = *process;
    spawned.pipes = pipes.take_ours();
    return spawned;
}

}  // namespace gyre::platform
