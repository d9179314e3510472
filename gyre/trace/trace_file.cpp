// SPDX-License-Identifier: Apache-2.0
// TraceFile: a trace that is written to a file.
#include "gyre/trace/trace.hpp"

#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/io/file_tree.hpp"

namespace gyre::trace {
namespace {

using Outcome = std::expected<void, std::string>;

std::unexpected<std::string> cannot_write(const std::string& path, const std::string& why) {
    return std::unexpected("cannot write the trace to " + path + ": " + why);
}

std::unexpected<std::string> cannot_write(const std::string& path, Error error) {
    return cannot_write(path, error.message());
}

// A temporary file in the directory of its target: renamed to the target when it is complete,
// removed otherwise.
class PartFile final : public TraceSink {
public:
    PartFile(FileTree& files, const std::string& path) : files_(files) {
        constexpr std::uint32_t for_all = 0666;     // the umask applies
        constexpr std::size_t name_part_max = 200;  // keeps the name with its suffix within 255
        const std::size_t slash = path.rfind('/');
        const bool has_folder = slash != std::string::npos;
        const std::string folder = has_folder ? path.substr(0, slash + 1) : ".";
        const std::string name = path.substr(has_folder ? slash + 1 : 0, name_part_max);
        // Never opens an existing file: it may be another program's, or a link.
        const Result<NewFile> made = files_.make_file(folder, name + ".part-", for_all);
        if (made) {
            file_ = *made;
        } else {
            error_ = made.error();
        }
    }
    ~PartFile() {
        if (file_.fd >= 0) files_.close(file_.fd);
        if (!file_.path.empty()) (void)files_.remove(file_.path);
    }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    // The first error; nothing is written after it.
    [[nodiscard]] std::optional<Error> error() const noexcept { return error_; }

    void write(std::string_view text) override {
        while (!error_ && !text.empty()) {
            const Result<std::size_t> count = files_.write_at(file_.fd, bytes_of(text), size_);
            if (!count) {
                error_ = count.error();
                return;
            }
            size_ += *count;
            text.remove_prefix(*count);
        }
    }
    void become(const std::string& path) {
        if (error_) return;
        const Result<void> renamed = files_.rename(file_.path, path);
        if (!renamed) {
            error_ = renamed.error();
            return;
        }
        file_.path.clear();  // Renamed: there is nothing left to remove.
    }

private:
    FileTree& files_;
    NewFile file_;
    std::uint64_t size_ = 0;
    std::optional<Error> error_;
};

// The target of a link, so that the link stays. Refuses a device: a rename would replace it.
std::expected<std::string, std::string> place_of(FileTree& files, const std::string& path) {
    const Result<FileStat> status = files.stat(path, Links::followed);
    if (!status && status.error() == Error(std::errc::no_such_file_or_directory)) return path;
    if (!status) return cannot_write(path, status.error());
    if (!status->is_file()) return cannot_write(path, "it is there and no regular file");
    const Result<std::string> place = files.real_path(path);
    if (!place) return cannot_write(path, place.error());
    return *place;
}

}  // namespace

std::string path_from_environment() {
    const char* path = std::getenv(file_variable);
    return path != nullptr ? path : "";
}

TraceFile::TraceFile(FileTree& files, std::string path, TraceOptions options)
    : files_(files), path_(std::move(path)) {
    if (!path_.empty()) trace_.emplace(options);
}

std::expected<std::unique_ptr<TraceFile>, std::string> TraceFile::make(FileTree& files,
                                                                       std::string path,
                                                                       TraceOptions options) {
    if (!path.empty()) {
        // Tried at the start: at the end of a long run the error would come too late.
        const auto place = place_of(files, path);
        if (!place) return std::unexpected(place.error());
        if (const auto error = PartFile(files, *place).error()) return cannot_write(path, *error);
    }
    return std::unique_ptr<TraceFile>(new TraceFile(files, std::move(path), options));
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
    const auto place = place_of(files_, path_);
    if (!place) return std::unexpected(place.error());
    PartFile part(files_, *place);
    write_chrome(*trace_, part);
    part.become(*place);
    if (const auto error = part.error()) return cannot_write(path_, *error);
    return {};
}

}  // namespace gyre::trace
