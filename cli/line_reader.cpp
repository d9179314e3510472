// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace gyre::cli {
namespace {

class PipeReader final : public LineReader {
public:
    Line read(const std::string& /*prompt*/) override {
        for (;;) {
            const std::size_t end = buffer_.find('\n', begin_);
            if (end != std::string::npos) {
                Line line{Line::Kind::text, buffer_.substr(begin_, end - begin_)};
                begin_ = end + 1;
                if (std::exchange(is_cut_, false)) return {Line::Kind::too_long, {}};
                return line;
            }
            buffer_.erase(0, std::exchange(begin_, 0));
            if (is_ended_ && std::exchange(is_cut_, false)) return {Line::Kind::too_long, {}};
            if (is_ended_ && buffer_.empty()) return {};
            if (is_ended_) return {Line::Kind::text, std::exchange(buffer_, {})};
            if (wait_for_input() == Ready::interrupted) return {Line::Kind::interrupted, {}};
            fill();
        }
    }

private:
    void fill() {
        char block[4096];
        const ssize_t count = ::read(STDIN_FILENO, block, sizeof(block));
        if (count < 0 && errno == EINTR) return;
        if (count <= 0) {
            is_ended_ = true;
            return;
        }
        buffer_.append(block, static_cast<std::size_t>(count));
        if (buffer_.size() <= line_bytes_max || buffer_.find('\n') != std::string::npos) return;
        buffer_.clear();
        is_cut_ = true;
    }

    std::string buffer_;
    std::size_t begin_ = 0;
    bool is_ended_ = false;
    bool is_cut_ = false;  // the begin of this line was dropped
};

}  // namespace

LineReader::LineReader() {
    if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
}

LineReader::~LineReader() {
    ::close(wake_[0]);
    ::close(wake_[1]);
}

void LineReader::interrupt() noexcept {
    const char byte = 0;
    // A full pipe has been written to often enough.
    static_cast<void>(!::write(wake_[1], &byte, 1));
}

LineReader::Ready LineReader::wait_for_input() {
    for (;;) {
        pollfd waited[] = {{wake_[0], POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        if (poll(waited, 2, -1) < 0 && errno != EINTR) return Ready::input;
        if (waited[0].revents != 0) {
            char bytes[64];
            while (::read(wake_[0], bytes, sizeof(bytes)) > 0) {
            }
            return Ready::interrupted;
        }
        if (waited[1].revents != 0) return Ready::input;
    }
}

std::unique_ptr<LineReader> make_line_reader(LineReader::Complete complete, const char* history) {
    if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
        if (auto editor = make_line_editor(std::move(complete), history)) return editor;
    }
    return std::make_unique<PipeReader>();
}

}  // namespace gyre::cli
