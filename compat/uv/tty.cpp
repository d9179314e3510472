// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

// What uv_tty_reset_mode puts back: the mode of the first terminal that was changed. It may be
// called by a signal handler, which gives up where it would have to wait.
Atomic<int> first_lock{0};
int first_fd = -1;
termios first_mode;

void remember_first(int fd, const termios& mode) noexcept {
    while (first_lock.exchange(1) != 0) spin_pause();
    if (first_fd < 0) {
        first_fd = fd;
        first_mode = mode;
    }
    first_lock.store(0);
}

int set_mode(int fd, const termios& mode) noexcept {
    while (::tcsetattr(fd, TCSADRAIN, &mode) != 0) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

// A descriptor of its own for a terminal, so that its mode is not that of other processes which
// share the old one. -1 for the master's side, which cannot be opened again.
int reopen(int fd, int access) noexcept {
    unsigned number = 0;
    if (::ioctl(fd, TIOCGPTN, &number) == 0) return -1;
    char path[256];
    if (::ttyname_r(fd, path, sizeof path) != 0) return -1;
    return ::open(path, access | O_NOCTTY | O_CLOEXEC);
}

}  // namespace
}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_tty_init(uv_loop_t* loop, uv_tty_t* tty, uv_file fd, int /*readable*/) {
    const uv_handle_type type = uv_guess_handle(fd);
    if (type == UV_FILE || type == UV_UNKNOWN_HANDLE) return UV_EINVAL;
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    const int access = flags & O_ACCMODE;
    bool is_blocking = false;
    if (type == UV_TTY) {
        const int own = gyre::uv::reopen(fd, access);
        if (own >= 0) {
            // The number stays open: nobody else gets it.
            if (::dup3(own, fd, O_CLOEXEC) < 0 && errno != EINVAL) {
                const int error = -errno;
                ::close(own);
                return error;
            }
            fd = own;
        } else {
            is_blocking = access != O_RDONLY;
        }
    }
    if (const int status = gyre::uv::init_stream(loop, tty, UV_TTY); status < 0) return status;
    auto& state = StreamState::of(tty);
    if (!is_blocking) (void)gyre::uv::set_nonblocking(fd, true);
    state.set_blocking(is_blocking);
    if (is_blocking) tty->flags |= gyre::uv::flag_blocking_writes;
    tty->mode = UV_TTY_MODE_NORMAL;
    return state.open(fd, {.readable = access != O_WRONLY, .writable = access != O_RDONLY});
}

int uv_tty_set_mode(uv_tty_t* tty, uv_tty_mode_t mode) {
    int wanted = static_cast<int>(mode);
    // Terminals here know one raw mode.
    if (wanted == gyre::uv::tty_mode_raw_vt) wanted = UV_TTY_MODE_RAW;
    if (tty->mode == wanted) return 0;
    const int fd = StreamState::of(tty).fd();
    if (tty->mode == UV_TTY_MODE_NORMAL) {
        if (::tcgetattr(fd, &tty->orig_termios) != 0) return -errno;
        gyre::uv::remember_first(fd, tty->orig_termios);
    }
    termios changed = tty->orig_termios;
    switch (wanted) {
        case UV_TTY_MODE_NORMAL:
            break;
        case UV_TTY_MODE_RAW:
            changed.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
            changed.c_oflag |= ONLCR;
            changed.c_cflag |= CS8;
            changed.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
            changed.c_cc[VMIN] = 1;
            changed.c_cc[VTIME] = 0;
            break;
        case UV_TTY_MODE_IO:
            ::cfmakeraw(&changed);
            break;
        default:
            return UV_EINVAL;
    }
    const int status = gyre::uv::set_mode(fd, changed);
    if (status == 0) tty->mode = wanted;
    return status;
}

int uv_tty_reset_mode(void) {
    const int saved = errno;
    if (gyre::uv::first_lock.exchange(1) != 0) return UV_EBUSY;
    int status = 0;
    if (gyre::uv::first_fd >= 0)
        status = gyre::uv::set_mode(gyre::uv::first_fd, gyre::uv::first_mode);
    gyre::uv::first_lock.store(0);
    errno = saved;
    return status;
}

int uv_tty_get_winsize(uv_tty_t* tty, int* width, int* height) {
    winsize size{};
    while (::ioctl(StreamState::of(tty).fd(), TIOCGWINSZ, &size) != 0) {
        if (errno != EINTR) return -errno;
    }
    *width = size.ws_col;
    *height = size.ws_row;
    return 0;
}

// Of Windows alone: there the console says what it knows, here the program must.
void uv_tty_set_vterm_state(uv_tty_vtermstate_t /*state*/) {}

int uv_tty_get_vterm_state(uv_tty_vtermstate_t* /*state*/) {
    return UV_ENOTSUP;
}
