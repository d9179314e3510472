// SPDX-License-Identifier: Apache-2.0
#include "cli/download.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace gyre::cli {
namespace {

constexpr std::size_t note_bytes_max = 16'384;

bool is_device_or_pipe(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

// Call it right after the failure: its reason is errno.
std::runtime_error failed_to(const char* verb, const std::string& path) {
    return std::runtime_error("cannot " + std::string(verb) + " " + path + ": " +
                              std::strerror(errno));
}

}  // namespace

Download::Download(std::string file, std::string url)
    : file_(std::move(file)), url_(std::move(url)), is_direct_(is_device_or_pipe(file_)) {}

// The note has two lines: the address and the validator.
std::optional<Download::Earlier> Download::earlier() const {
    struct stat found{};
    if (is_direct_ || ::stat(part().c_str(), &found) != 0 || found.st_size == 0) {
        return std::nullopt;
    }
    std::string text;
    if (const File from{std::fopen(note().c_str(), "rb")}) {
        std::array<char, note_bytes_max> buffer{};
        text.assign(buffer.data(), std::fread(buffer.data(), 1, buffer.size(), from.get()));
    }
    const std::size_t end = text.find('\n');
    const std::string about = text.substr(0, end);
    const std::string validator = end == std::string::npos
                                      ? std::string()
                                      : text.substr(end + 1, text.find('\n', end + 1) - end - 1);
    if (!text.empty() && about != url_) {
        throw std::runtime_error(part() + " belongs to " + about +
                                 ": remove it, or fetch without --resume");
    }
    if (validator.empty()) {
        throw std::runtime_error(part() +
                                 " cannot be continued: the server gave no ETag or date to tell "
                                 "whether the file has changed; fetch without --resume");
    }
    return Earlier{.size_bytes = static_cast<std::uint64_t>(found.st_size), .validator = validator};
}

void Download::open(std::string_view validator, bool appends) {
    if (is_direct_) {
        open_.reset(std::fopen(file_.c_str(), "wb"));
        if (open_ == nullptr) throw failed_to("write", file_);
        return;
    }
    open_.reset(std::fopen(part().c_str(), appends ? "ab" : "wb"));
    if (open_ == nullptr) throw failed_to("write", part());
    if (appends) return;
    const File to{std::fopen(note().c_str(), "wb")};
    const std::string text = url_ + "\n" + std::string(validator) + "\n";
    if (to == nullptr || std::fwrite(text.data(), 1, text.size(), to.get()) != text.size() ||
        std::fflush(to.get()) != 0) {
        throw failed_to("write", note());
    }
}

void Download::write(std::string_view piece) {
    if (std::fwrite(piece.data(), 1, piece.size(), open_.get()) != piece.size()) {
        throw failed_to("write", is_direct_ ? file_ : part());
    }
}

void Download::finish() {
    if (open_ != nullptr) {
        // The name must not stand for bytes that a power failure may take away.
        const bool is_written =
            std::fflush(open_.get()) == 0 && (is_direct_ || ::fsync(::fileno(open_.get())) == 0);
        if (!is_written) throw failed_to("write", is_direct_ ? file_ : part());
        if (std::fclose(open_.release()) != 0) throw failed_to("write", file_);
    }
    if (is_direct_) return;
    if (std::rename(part().c_str(), file_.c_str()) != 0) throw failed_to("write", file_);
    static_cast<void>(std::remove(note().c_str()));
}

}  // namespace gyre::cli
