// SPDX-License-Identifier: Apache-2.0
// From a path to a file, and from a file to a response. Names are looked up on the Offload; the
// bytes of a file go from the platform to the socket.
#include "gyre/http/static_files.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <system_error>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/http/internal/conditional.hpp"
#include "gyre/http/internal/content.hpp"
#include "gyre/http/internal/gzip.hpp"
#include "gyre/http/internal/range.hpp"
#include "gyre/http/internal/served_folder.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::http {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

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

// Returns less if the file has become shorter.
Future<std::string> read_whole(Fd file, std::uint64_t size) {
    std::string text(static_cast<std::size_t>(size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const Bytes into = std::as_writable_bytes(std::span(text)).subspan(done);
        auto reading = perform<ReadOp>("a file", file, into, done);
        const Result<std::int32_t> came = co_await std::move(reading);
        if (!came) co_await fail(came.error());
        if (*came == 0) break;
        done += static_cast<std::size_t>(*came);
    }
    text.resize(done);
    co_return text;
}

// The address of a folder that was asked for without the slash at its end.
std::string with_slash(const Request& request) {
    std::string address = std::string(request.path()) + "/";
    if (!request.query().empty()) address.append("?").append(request.query());
    return address;
}

// Whether it means that there is no such file for this client.
bool is_absence(std::errc error) {
    static constexpr std::array absences = {
        std::errc::no_such_file_or_directory,
        std::errc::not_a_directory,
        std::errc::too_many_symbolic_link_levels,
        std::errc::permission_denied,
        std::errc::filename_too_long,
        std::errc::invalid_argument,
        std::errc::no_such_device_or_address,  // a socket
    };
    return std::ranges::find(absences, error) != absences.end();
}

// 503 if the server is short of something, and another try may do; else 500.
void answer_unreadable(std::errc why, Response& response) {
    static constexpr std::array shortages = {
        std::errc::too_many_files_open, std::errc::too_many_files_open_in_system,
        std::errc::not_enough_memory, std::errc::resource_unavailable_try_again};
    const bool is_short = std::ranges::find(shortages, why) != shortages.end();
    log(LogLevel::error, "http: a file could not be read: %s", Error(why).message().c_str());
    response.status(is_short ? 503 : 500).type("text/plain");
    if (is_short) response.field("Retry-After", "1");
    response.send(is_short ? "503 Service Unavailable\n" : "500 Internal Server Error\n");
}

}  // namespace

// The result of looking up a path.
struct StaticFiles::Found {
    enum class Kind : std::uint8_t { nothing, file, folder_without_slash, page, failed };
    Kind kind = Kind::nothing;
    std::errc why = {};  // of `failed`: not that the file does not exist
    std::string name;    // for the media type
    Fd file = -1;        // if open, the loop's thread closes it, whatever the kind
    std::uint64_t size_bytes = 0;
    UnixSeconds modified = 0;
    std::string etag;
    bool is_compressed = false;  // on the disk
    std::string page;            // a listing

    [[nodiscard]] static Found without(const Error& error) {
        Found found;
        if (is_absence(error.code())) return found;
        found.kind = Kind::failed;
        found.why = error.code();
        return found;
    }
    [[nodiscard]] net::FileSlice slice(ByteRange part) const noexcept {
        return {.file = file, .offset = part.first, .size_bytes = part.size_bytes};
    }
    [[nodiscard]] Future<void> send_parts(const std::vector<ByteRange>& ranges,
                                          Response& response) const;
};

Future<StaticFiles> StaticFiles::open(std::string folder) {
    return open(std::move(folder), StaticOptions());
}

Future<StaticFiles> StaticFiles::open(std::string folder, StaticOptions options) {
    const Task& self = co_await this_task();
    FileTree* const tree = self.executor().loop().platform().environment()->file_tree();
    Result<std::string> opened = std::unexpected(Error(std::errc::function_not_supported));
    if (tree != nullptr) {
        const auto look = [tree, &folder] { return ServedFolder::real_path_of(*tree, folder); };
        opened = co_await blocking(look);
    }
    if (!opened) throw std::system_error(std::make_error_code(opened.error().code()), folder);
    co_return StaticFiles(std::move(*opened), std::move(options));
}

StaticFiles::Found StaticFiles::list(FileTree& tree, const std::string& folder) {
    std::vector<std::string> names;
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    const auto entries = tree.list(folder, all, Links::refused);
    if (!entries) return Found::without(entries.error());
    for (const FolderEntry& entry : *entries) {
        if (entry.name.starts_with('.')) continue;
        bool is_folder = entry.kind == FileKind::folder;
        if (entry.kind == FileKind::link) {
            const Result<FileStat> target = tree.stat(folder + "/" + entry.name, Links::followed);
            is_folder = target && target->is_folder();
        }
        names.push_back(entry.name + (is_folder ? "/" : ""));
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

StaticFiles::Found StaticFiles::find(FileTree& tree, const std::string& path,
                                     bool takes_gzip) const {
    const ServedFolder served(folder_);
    Result<ServedFolder::Place> place = served.find(tree, path);
    if (!place) return Found::without(place.error());
    Found found;
    if (place->stat.is_folder()) {
        if (!path.empty() && !path.ends_with('/')) {
            found.kind = Found::Kind::folder_without_slash;
            return found;
        }
        const std::string folder = served.path_of(place->name);
        place = served.find(tree, path + options_.index);
        if (!place || !place->stat.is_file()) {
            return options_.lists_folders ? list(tree, folder) : Found{};
        }
    } else if (path.ends_with('/') || !place->stat.is_file()) {
        return {};
    }
    found.name = place->name.substr(place->name.rfind('/') + 1);
    if (takes_gzip && options_.uses_compressed_files) {
        const auto compressed = served.find(tree, place->name + ".gz");
        found.is_compressed = compressed && compressed->stat.is_file();
        if (found.is_compressed) place = compressed;
    }
    // The name has no link in it: one that is there by now was put there to lead elsewhere.
    const Result<Fd> file = tree.open_to_read(served.path_of(place->name), Links::refused);
    if (!file) return Found::without(file.error());
    found.file = *file;
    // Of the open file: another one may have the name by now.
    const Result<FileStat> stat = tree.stat_open(*file);
    if (!stat || !stat->is_file()) return found;
    found.size_bytes = stat->size_bytes;
    found.modified = stat->modified_ns / nanoseconds_per_second;
    found.etag.append("\"").append(hexadecimal(static_cast<std::uint64_t>(stat->modified_ns)));
    found.etag.append("-").append(hexadecimal(found.size_bytes));
    found.etag.append(found.is_compressed ? "-gz\"" : "\"");
    found.kind = Found::Kind::file;
    return found;
}

Future<void> StaticFiles::serve(Request& request, Response& response) const {
    const auto path = safe_path("/" + std::string(request.param("path")));
    const Task& self = co_await this_task();
    Platform& platform = self.executor().loop().platform();
    Found found;
    if (path && platform.environment()->file_tree() != nullptr) {
        const bool takes_gzip = accepts_coding(request.head().fields, "gzip");
        const auto look = [this, &tree = *platform.environment()->file_tree(), &path, takes_gzip] {
            return find(tree, *path, takes_gzip);
        };
        found = co_await blocking(look);
    }
    const OpenDescriptor owner(platform, found.file);
    switch (found.kind) {
        case Found::Kind::nothing:
            response.status(404).type("text/plain").send("404 Not Found\n");
            co_return;
        case Found::Kind::failed:
            answer_unreadable(found.why, response);
            co_return;
        case Found::Kind::folder_without_slash:
            response.status(301).field("Location", with_slash(request));
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
    // RFC 9110 14.2: it means something for GET alone.
    const bool has_range = request.method() == Method::get && fields.has("range");
    // A weak ETag if it is compressed for this response: the bytes may differ the next time.
    const bool compresses = is_gzip_available() && !found.is_compressed && is_compressible(type) &&
                            found.size_bytes <= options_.compressed_bytes_max && !has_range &&
                            accepts_coding(fields, "gzip");
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
    if (has_range && is_range_current(fields, current)) {
        wanted = answer_range(fields.get("range"), found.size_bytes);
    }
    if (wanted.kind == RangeAnswer::Kind::not_satisfiable) {
        response.type(type);
        response.status(416).field("Content-Range", content_range_unsatisfied(found.size_bytes));
        co_return;
    }
    if (wanted.ranges.size() > 1) {
        co_await found.send_parts(wanted.ranges, response);
        co_return;
    }
    response.type(type);
    if (compresses) {
        const std::string text = co_await read_whole(found.file, found.size_bytes);
        const auto compress = [&text] { return gzip_text(text); };
        response.send(co_await blocking(compress));
        co_return;
    }
    ByteRange part{.first = 0, .size_bytes = found.size_bytes};
    if (!wanted.ranges.empty()) {
        part = wanted.ranges.front();
        response.status(206).field("Content-Range", content_range(part, found.size_bytes));
    }
    response.length(part.size_bytes);
    co_await response.write_file(found.slice(part));
}

// Several ranges in one body, multipart/byteranges.
Future<void> StaticFiles::Found::send_parts(const std::vector<ByteRange>& ranges,
                                            Response& response) const {
    // A file does not contain its own modification time in nanoseconds.
    const std::string boundary = "part-" + etag.substr(1, etag.size() - 2);
    const PartsBody body = parts_body(ranges, size_bytes, media_type_of(name), boundary);
    response.status(206).type("multipart/byteranges; boundary=" + boundary);
    response.length(body.size_bytes);
    for (const PartsBody::Part& part : body.parts) {
        co_await response.write(part.before);
        co_await response.write_file(slice(part.range));
    }
    co_await response.write(body.end);
}

}  // namespace gyre::http
