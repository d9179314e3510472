// SPDX-License-Identifier: Apache-2.0
// From a path to a file, and from a file to an answer. What touches the disk runs on the Offload.
#include "gyre/http/static_files.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "gyre/http/conditional.hpp"
#include "gyre/http/content.hpp"
#include "gyre/http/gzip.hpp"
#include "gyre/task/blocking.hpp"

namespace gyre::http {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 20> text{};
    const int size =
        std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(value));
    return {text.data(), static_cast<std::size_t>(size)};
}

// Fills it from there on; gives less where the file has become shorter.
std::size_t read_at(std::FILE* file, std::uint64_t offset, std::span<char> into) {
    // Where it stands there already, that keeps what it has read ahead.
    if (static_cast<std::uint64_t>(std::ftell(file)) != offset &&
        std::fseek(file, static_cast<long>(offset), SEEK_SET) != 0) {
        return 0;
    }
    return std::fread(into.data(), 1, into.size(), file);
}

std::string read_whole(std::FILE* file, std::uint64_t size) {
    std::string text(static_cast<std::size_t>(size), '\0');
    text.resize(read_at(file, 0, text));
    return text;
}

}  // namespace

// What a path leads to, as one look at the disk found it.
struct StaticFiles::Found {
    enum class Kind : std::uint8_t { nothing, file, folder_without_slash, page };
    Kind kind = Kind::nothing;
    std::string name;  // for the media type
    File file;
    std::uint64_t size_bytes = 0;
    UnixSeconds modified = 0;
    std::string etag;
    bool is_compressed = false;  // the file lies so on the disk
    std::string page;            // a listing
};

StaticFiles::StaticFiles(const std::string& folder, StaticOptions options)
    : folder_(fs::canonical(folder).string()), options_(std::move(options)) {
    if (!fs::is_directory(folder_)) {
        throw std::system_error(std::make_error_code(std::errc::not_a_directory), folder);
    }
}

StaticFiles::Found StaticFiles::list(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with('.')) continue;
        names.push_back(name + (entry.is_directory(error) ? "/" : ""));
    }
    std::sort(names.begin(), names.end());
    Found found;
    found.kind = Found::Kind::page;
    found.page = "<!doctype html><meta charset=\"utf-8\"><title>Files</title><ul>\n";
    for (const std::string& name : names) {
        found.page +=
            "<li><a href=\"./" + percent_encoded(name, "/") + "\">" + html_text(name) + "</a>\n";
    }
    found.page += "</ul>\n";
    return found;
}

StaticFiles::Found StaticFiles::find(const std::string& path, bool takes_gzip) const {
    std::error_code error;
    fs::path full = fs::canonical(fs::path(folder_) / path, error);
    const std::string text = full.string();
    const bool is_inside = text == folder_ || text.starts_with(folder_ + "/") || folder_ == "/";
    if (error || !is_inside) return {};
    if (fs::is_directory(full, error)) {
        Found found;
        found.kind = Found::Kind::folder_without_slash;
        if (!path.empty() && !path.ends_with('/')) return found;
        if (!fs::is_regular_file(full / options_.index, error)) {
            return options_.lists_folders ? list(text) : Found{};
        }
        full /= options_.index;
    } else if (path.ends_with('/')) {
        return {};
    }
    if (!fs::is_regular_file(full, error)) return {};
    Found found;
    found.name = full.filename().string();
    const fs::path compressed = full.string() + ".gz";
    if (takes_gzip && options_.uses_compressed_files && fs::is_regular_file(compressed, error)) {
        full = compressed;
        found.is_compressed = true;
    }
    found.file.reset(std::fopen(full.c_str(), "rb"));
    found.size_bytes = fs::file_size(full, error);
    const auto written = fs::last_write_time(full, error);
    if (error || found.file == nullptr) return {};
    const auto since = fs::file_time_type::clock::to_sys(written).time_since_epoch();
    found.modified = std::chrono::duration_cast<std::chrono::seconds>(since).count();
    found.etag.append("\"").append(hexadecimal(static_cast<std::uint64_t>(since.count())));
    found.etag.append("-").append(hexadecimal(found.size_bytes));
    found.etag.append(found.is_compressed ? "-gz\"" : "\"");
    found.kind = Found::Kind::file;
    return found;
}

Future<void> StaticFiles::serve(Request& request, Response& response) const {
    const auto path = safe_path("/" + std::string(request.param("path")));
    Found found;
    if (path) {
        const bool takes_gzip = accepts_coding(request.head().fields, "gzip");
        auto look = [this, &path, takes_gzip] { return find(*path, takes_gzip); };
        found = co_await blocking(std::move(look));
    }
    switch (found.kind) {
        case Found::Kind::nothing:
            response.status(404).type("text/plain").send("404 Not Found\n");
            co_return;
        case Found::Kind::folder_without_slash:
            response.status(301).field("Location", std::string(request.path()) + "/");
            co_return;
        case Found::Kind::page:
            response.type("text/html; charset=utf-8").send(std::move(found.page));
            co_return;
        case Found::Kind::file:
            co_await send_file(found, request, response);
    }
}

Future<void> StaticFiles::send_file(const Found& found, Request& request,
                                    Response& response) const {
    const Fields& fields = request.head().fields;
    const std::string_view type = media_type_of(found.name);
    // Weak where it is compressed as it goes: the bytes may differ from one time to the next.
    const bool compresses = is_gzip_available() && !found.is_compressed && is_compressible(type) &&
                            found.size_bytes <= options_.compressed_bytes_max &&
                            !fields.has("range") && accepts_coding(fields, "gzip");
    const std::string etag = std::string(compresses ? "W/" : "").append(found.etag);
    response.field("ETag", etag).field("Last-Modified", date_text(found.modified));
    response.field("Vary", "Accept-Encoding");
    const Validators current{.etag = etag, .modified = found.modified};
    switch (check_conditions(request.method(), fields, current)) {
        case Condition::not_modified:
            response.status(304);
            co_return;
        case Condition::failed:
            response.status(412);
            co_return;
        case Condition::holds:
            break;
    }
    response.field("Accept-Ranges", "bytes");
    if (found.is_compressed || compresses) response.field("Content-Encoding", "gzip");
    RangeAnswer wanted;
    if (fields.has("range") && is_range_current(fields, current)) {
        wanted = answer_range(fields.get("range"), found.size_bytes);
    }
    if (wanted.kind == RangeAnswer::Kind::not_satisfiable) {
        response.type(type);
        response.status(416).field("Content-Range", content_range_unsatisfied(found.size_bytes));
        co_return;
    }
    if (wanted.ranges.size() > 1) {
        co_await send_parts(found, wanted.ranges, request, response);
        co_return;
    }
    response.type(type);
    std::FILE* const file = found.file.get();
    if (compresses) {
        auto compress = [file, &found] { return gzip_text(read_whole(file, found.size_bytes)); };
        response.send(co_await blocking(std::move(compress)));
        co_return;
    }
    ByteRange part{.first = 0, .size_bytes = found.size_bytes};
    if (!wanted.ranges.empty()) {
        part = wanted.ranges.front();
        response.status(206).field("Content-Range", content_range(part, found.size_bytes));
    }
    response.length(part.size_bytes);
    co_await response.write({});
    if (request.method() == Method::head) co_return;
    static_cast<void>(co_await send_part(found, part, response));
}

// Several parts in one body, each with a head of its own.
Future<void> StaticFiles::send_parts(const Found& found, const std::vector<ByteRange>& ranges,
                                     Request& request, Response& response) const {
    // The time of the last change, in nanoseconds, is nothing that a file holds.
    const std::string boundary = "part-" + found.etag.substr(1, found.etag.size() - 2);
    const PartsBody body =
        parts_body(ranges, found.size_bytes, media_type_of(found.name), boundary);
    response.status(206).type("multipart/byteranges; boundary=" + boundary);
    response.length(body.size_bytes);
    co_await response.write({});
    if (request.method() == Method::head) co_return;
    for (const PartsBody::Part& part : body.parts) {
        co_await response.write(part.before);
        const bool is_whole = co_await send_part(found, part.range, response);
        if (!is_whole) co_return;
    }
    co_await response.write(body.end);
}

// Gives whether it was all there: a file that has become shorter cuts the connection.
Future<bool> StaticFiles::send_part(const Found& found, ByteRange part, Response& response) const {
    std::FILE* const file = found.file.get();
    // One for all of it: memory that is fresh costs more than what is read into it.
    const std::size_t buffer_bytes = std::min<std::uint64_t>(part.size_bytes, options_.piece_bytes);
    const auto buffer = std::make_unique_for_overwrite<char[]>(buffer_bytes);
    while (part.size_bytes > 0) {
        const std::size_t room = std::min<std::uint64_t>(part.size_bytes, buffer_bytes);
        const std::span into(buffer.get(), room);
        auto read = [file, offset = part.first, into] { return read_at(file, offset, into); };
        const std::size_t size = co_await blocking(std::move(read));
        if (size == 0) co_return false;
        part.first += size;
        part.size_bytes -= size;
        co_await response.write(std::string_view(buffer.get(), size));
    }
    co_return true;
}

}  // namespace gyre::http
