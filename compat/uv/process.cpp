// SPDX-License-Identifier: Apache-2.0
// Children: uv_spawn with any descriptors, user, group and session; the end of a child is told after
// its output (gyre::handle::Child).
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "compat/uv/internal/stream_state.hpp"
#include "gyre/handle/child.hpp"

extern char** environ;

namespace gyre::uv {
namespace {

class ProcessState final : public HandleState {
public:
    ProcessState(LoopState& loop, uv_process_t* process) noexcept
        : HandleState(loop, as_handle(process)),
          child(loop.phased, *loop.platform->environment()->children()) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return child; }

    handle::Child child;
};

// The two ends of a child's descriptor: the parent's is -1 unless a pipe is made.
struct Ends {
    int parent = -1;
    int child = -1;
};

int make_ends(const uv_stdio_container_t& wanted, Ends& ends) noexcept {
    constexpr int kinds = UV_IGNORE | UV_CREATE_PIPE | UV_INHERIT_FD | UV_INHERIT_STREAM;
    switch (wanted.flags & kinds) {
        case UV_IGNORE:
            return 0;
        case UV_CREATE_PIPE: {
            if (wanted.data.stream->type != UV_NAMED_PIPE) return UV_EINVAL;
            int pair[2];
            const int child_flags = (wanted.flags & UV_NONBLOCK_PIPE) != 0 ? UV_NONBLOCK_PIPE : 0;
            const int status = uv_socketpair(SOCK_STREAM, 0, pair, 0, child_flags);
            if (status == 0) ends = {pair[0], pair[1]};
            return status;
        }
        case UV_INHERIT_FD:
            ends.child = wanted.data.fd;
            return ends.child < 0 ? UV_EINVAL : 0;
        case UV_INHERIT_STREAM:
            ends.child = wanted.data.stream->io_watcher.fd;
            return ends.child < 0 ? UV_EINVAL : 0;
        default:
            return UV_EINVAL;
    }
}

bool is_pipe(const uv_stdio_container_t& wanted) noexcept {
    return (wanted.flags & UV_CREATE_PIPE) != 0;
}

void close_ends(std::vector<Ends>& all, const uv_process_options_t& options) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_own =
            i < static_cast<std::size_t>(options.stdio_count) && is_pipe(options.stdio[i]);
        if (!is_own) continue;
        if (all[i].child >= 0) ::close(all[i].child);
        if (all[i].parent >= 0) ::close(all[i].parent);
    }
}

// ---- In the child, between fork and exec: only calls that are safe there ----

[[noreturn]] void fail(int report_fd) noexcept {
    const int error = -errno;
    while (::write(report_fd, &error, sizeof error) < 0 && errno == EINTR) {
    }
    ::_exit(127);
}

void reset_signals() noexcept {
    for (int number = 1; number < NSIG; ++number) {
        if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
    }
}

// A descriptor that a lower one would overwrite is moved out of the way first.
void place_descriptors(std::vector<Ends>& ends, int report_fd) noexcept {
    const int count = static_cast<int>(ends.size());
    for (int fd = 0; fd < count; ++fd) {
        int& from = ends[static_cast<std::size_t>(fd)].child;
        if (from < 0 || from >= fd) continue;
        from = ::fcntl(from, F_DUPFD_CLOEXEC, count);
        if (from < 0) fail(report_fd);
    }
    for (int fd = 0; fd < count; ++fd) {
        const Ends& end = ends[static_cast<std::size_t>(fd)];
        int from = end.child;
        if (from < 0) {
            if (fd > STDERR_FILENO) continue;
            from = ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_RDWR);
            if (from < 0) fail(report_fd);
            if (from != fd && (::dup2(from, fd) < 0 || ::close(from) < 0)) fail(report_fd);
            continue;
        }
        if (from == fd) {
            if (::fcntl(fd, F_SETFD, 0) != 0) fail(report_fd);
        } else if (::dup2(from, fd) < 0) {
            fail(report_fd);
        }
        // Programs expect their standard streams to block.
        if (fd <= STDERR_FILENO && end.parent < 0) (void)set_nonblocking(fd, false);
    }
}

void become_user(const uv_process_options_t& options, int report_fd) noexcept {
    const bool sets_any = (options.flags & (UV_PROCESS_SETUID | UV_PROCESS_SETGID)) != 0;
    if (sets_any) {
        // The groups of the parent are not the child's. Who may not change them has no more.
        const int saved = errno;
        (void)!::setgroups(0, nullptr);
        errno = saved;
    }
    if ((options.flags & UV_PROCESS_SETGID) != 0 && ::setgid(options.gid) != 0) fail(report_fd);
    if ((options.flags & UV_PROCESS_SETUID) != 0 && ::setuid(options.uid) != 0) fail(report_fd);
}

[[noreturn]] void run_child(const uv_process_options_t& options, std::vector<Ends>& ends,
                            int report_fd) noexcept {
    reset_signals();
    if ((options.flags & UV_PROCESS_DETACHED) != 0) ::setsid();
    // The place where the report goes must not be one of the child's descriptors.
    const int kept_fd = ::fcntl(report_fd, F_DUPFD_CLOEXEC, static_cast<int>(ends.size()));
    if (kept_fd < 0) fail(report_fd);
    place_descriptors(ends, kept_fd);
    if (options.cwd != nullptr && ::chdir(options.cwd) != 0) fail(kept_fd);
    become_user(options, kept_fd);
    if (options.env != nullptr) environ = options.env;
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(options.file, options.args);
    fail(kept_fd);
}

// ---- In the parent ----

// 0 once the program runs, or the error that kept it from running.
int read_report(int fd, pid_t pid) noexcept {
    int error = 0;
    ssize_t count = 0;
    do {
        count = ::read(fd, &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    if (count == 0) return 0;
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return count == sizeof error ? error : UV_EIO;
}

int fork_and_exec(const uv_process_options_t& options, std::vector<Ends>& ends,
                  pid_t& pid) noexcept {
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0) return -errno;
    // A signal handler of the parent must not run in the child.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    pid = ::fork();
    const int fork_error = -errno;
    if (pid == 0) {
        ::close(report[0]);
        run_child(options, ends, report[1]);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(report[1]);
    const int status = pid < 0 ? fork_error : read_report(report[0], pid);
    ::close(report[0]);
    return status;
}

void report_end(uv_process_t* process, const Result<ChildEnd>& end) noexcept {
    process->status = end ? end->code : end.error().as_result();
    if (process->exit_cb == nullptr) return;
    process->exit_cb(process, process->status, end ? end->signal : 0);
}

int open_streams(const uv_process_options_t& options, std::vector<Ends>& ends) noexcept {
    int status = 0;
    for (int i = 0; i < options.stdio_count; ++i) {
        Ends& end = ends[static_cast<std::size_t>(i)];
        if (!is_pipe(options.stdio[i])) continue;
        ::close(std::exchange(end.child, -1));
        if (status < 0) continue;
        status = set_nonblocking(end.parent, true);
        if (status < 0) continue;
        const unsigned flags = options.stdio[i].flags;
        // The directions are the child's.
        status = StreamState::of(options.stdio[i].data.stream)
                     .open(end.parent, {.readable = (flags & UV_WRITABLE_PIPE) != 0,
                                        .writable = (flags & UV_READABLE_PIPE) != 0});
        if (status == 0) end.parent = -1;
    }
    if (status < 0) close_ends(ends, options);
    return status;
}

int spawn(uv_process_t* process, const uv_process_options_t& options) {
    std::vector<Ends> ends(static_cast<std::size_t>(std::max(options.stdio_count, 3)));
    for (int i = 0; i < options.stdio_count; ++i) {
        const int status = make_ends(options.stdio[i], ends[static_cast<std::size_t>(i)]);
        if (status == 0) continue;
        close_ends(ends, options);
        return status;
    }
    pid_t pid = 0;
    const int run_status = fork_and_exec(options, ends, pid);
    if (run_status == 0) {
        process->pid = pid;
        process->exit_cb = options.exit_cb;
        auto& child = state_of<ProcessState>(process)->child;
        const int status =
            result_of(child.start(pid, [process](handle::Child&, const Result<ChildEnd>& end) {
                report_end(process, end);
            }));
        if (status < 0) {
            close_ends(ends, options);
            return status;
        }
    }
    if (pid < 0) {
        close_ends(ends, options);
        return run_status;
    }
    // Also of a program that does not run: its pipes are at their end.
    const int status = open_streams(options, ends);
    return run_status < 0 ? run_status : status;
}

// The options of a call from another thread, with all that they point to.
class OptionsCopy {
public:
    explicit OptionsCopy(const uv_process_options_t& from)
        : options_(from), stdio_(from.stdio, from.stdio + from.stdio_count) {
        if (from.file != nullptr) file_ = from.file;
        if (from.cwd != nullptr) cwd_ = from.cwd;
        copy(from.args, args_);
        copy(from.env, env_);
    }
    // Valid as long as the copy stays where it is.
    [[nodiscard]] uv_process_options_t options() {
        uv_process_options_t copied = options_;
        copied.file = file_.c_str();
        if (copied.cwd != nullptr) copied.cwd = cwd_.c_str();
        copied.args = pointers(args_, arg_pointers_);
        if (copied.env != nullptr) copied.env = pointers(env_, env_pointers_);
        copied.stdio = stdio_.data();
        return copied;
    }

private:
    static void copy(char** texts, std::vector<std::string>& into) {
        for (; texts != nullptr && *texts != nullptr; ++texts) into.emplace_back(*texts);
    }
    static char** pointers(std::vector<std::string>& texts, std::vector<char*>& into) {
        into.clear();
        for (std::string& text : texts) into.push_back(text.data());
        into.push_back(nullptr);
        return into.data();
    }

    uv_process_options_t options_;
    std::vector<uv_stdio_container_t> stdio_;
    std::string file_;
    std::string cwd_;
    std::vector<std::string> args_;
    std::vector<std::string> env_;
    std::vector<char*> arg_pointers_;
    std::vector<char*> env_pointers_;
};

// The exit callback tells an error, by a status below 0.
void spawn_there(uv_process_t* process, const uv_process_options_t& options) {
    post(process->loop, [process, copy = OptionsCopy(options)]() mutable {
        const uv_process_options_t copied = copy.options();
        int status = UV_ENOMEM;
        try {
            status = spawn(process, copied);
        } catch (const std::bad_alloc&) {
        }
        if (status == 0 || process->exit_cb == nullptr) return;
        process->status = status;
        process->exit_cb(process, status, 0);
    });
}

}  // namespace
}  // namespace gyre::uv

int uv_spawn(uv_loop_t* loop, uv_process_t* handle, const uv_process_options_t* options) {
    gyre::uv::init_fields(loop, handle, UV_PROCESS);
    handle->pid = 0;
    handle->status = 0;
    handle->exit_cb = nullptr;
    auto* state = new (std::nothrow) gyre::uv::ProcessState(gyre::uv::LoopState::of(loop), handle);
    if (state == nullptr) return UV_ENOMEM;
    if (options->file == nullptr) return UV_EINVAL;
    try {
        if (gyre::uv::is_elsewhere(loop)) {
            handle->exit_cb = options->exit_cb;
            gyre::uv::spawn_there(handle, *options);
            return 0;
        }
        return gyre::uv::spawn(handle, *options);
    } catch (const std::bad_alloc&) {
        return UV_ENOMEM;
    }
}

int uv_process_kill(uv_process_t* handle, int signum) {
    return uv_kill(handle->pid, signum);
}

uv_pid_t uv_process_get_pid(const uv_process_t* handle) {
    return handle->pid;
}
