// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/trace/chrome.hpp"

namespace gyre::trace {
namespace {

using Outcome = std::expected<void, std::string>;

std::unexpected<std::string> cannot_write(const std::string& path, const std::string& why) {
    return std::unexpected("cannot write the trace to " + path + ": " + why);
}

std::unexpected<std::string> cannot_write(const std::string& path, int error) {
    return cannot_write(path, std::generic_category().message(error));
}

// A file beside the place of another, that takes that place when it is complete and goes away when
// it is not.
class PartFile {
public:
    explicit PartFile(const std::string& path) {
        constexpr int names_max = 100;
        // Never one that is there already: it may be another program's, or a link to anywhere.
        for (int i = 0; i < names_max && file_ == nullptr; ++i) {
            name_ = path + ".part" + std::to_string(i);
            file_ = std::fopen(name_.c_str(), "wbx");
            error_ = file_ == nullptr ? errno : 0;
            if (error_ != 0 && error_ != EEXIST) return;
        }
    }
    ~PartFile() {
        if (file_ == nullptr) return;
        (void)std::fclose(file_);
        (void)std::remove(name_.c_str());
    }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    // The first error, 0 where there was none.
    [[nodiscard]] int error() const noexcept { return error_; }

    void write(std::string_view text) {
        if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
            error_ = errno;
        }
    }
    void become(const std::string& path) {
        if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
        if (error_ == 0 && std::rename(name_.c_str(), path.c_str()) != 0) error_ = errno;
        if (error_ != 0) return;
        // Its text is out, and the name is no longer this file's to remove.
        (void)std::fclose(std::exchange(file_, nullptr));
    }

private:
    std::string name_;
    std::FILE* file_ = nullptr;
    int error_ = 0;
};

// Where the file really is: a link stays a link. Renaming onto a device would replace it.
std::expected<std::string, std::string> place_of(const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) return path;
    if (error) return cannot_write(path, error.message());
    if (status.type() != std::filesystem::file_type::regular) {
        return cannot_write(path, "it is there and no regular file");
    }
    const std::filesystem::path place = std::filesystem::canonical(path, error);
    if (error) return cannot_write(path, error.message());
    return place.string();
}

}  // namespace

std::string path_from_environment() {
    const char* path = std::getenv(file_variable);
    return path != nullptr ? path : "";
}

TraceFile::TraceFile(std::string path, TraceOptions options) : path_(std::move(path)) {
    if (!path_.empty()) trace_.emplace(options);
}

std::expected<std::unique_ptr<TraceFile>, std::string> TraceFile::make(std::string path,
                                                                       TraceOptions options) {
    if (!path.empty()) {
        // Tried now: at the end of a long run it would be too late to hear of it.
        const auto place = place_of(path);
        if (!place) return std::unexpected(place.error());
        if (const int error = PartFile(*place).error(); error != 0) {
            return cannot_write(path, error);
        }
    }
    return std::unique_ptr<TraceFile>(new TraceFile(std::move(path), options));
}

TraceFile::~TraceFile() {
    try {
        if (const Outcome outcome = finish(); !outcome) {
            log(LogLevel::error, "%s", outcome.error().c_str());
        }
    } catch (const std::bad_alloc&) {
        log(LogLevel::error, "the trace is lost: there is no memory to write it with");
    }
}

Observer* TraceFile::add_loop(LoopName name) {
    return trace_ ? &trace_->add_loop(std::move(name)) : nullptr;
}

std::expected<void, std::string> TraceFile::finish() {
    if (!trace_ || is_finished_) return {};
    is_finished_ = true;
    const auto place = place_of(path_);
    if (!place) return std::unexpected(place.error());
    PartFile part(*place);
    write_chrome(*trace_, [&part](std::string_view text) { part.write(text); });
    part.become(*place);
    if (part.error() != 0) return cannot_write(path_, part.error());
    return {};
}

}  // namespace gyre::trace
