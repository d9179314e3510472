// SPDX-License-Identifier: Apache-2.0
// The table of media types, and the rules of paths. Pure functions.
#include "gyre/http/internal/content.hpp"

#include <algorithm>
#include <array>

#include "gyre/http/internal/characters.hpp"
#include "gyre/http/url.hpp"

namespace gyre::http {
namespace {

struct MediaType {
    std::string_view ending;
    std::string_view type;
};

constexpr auto media_types = std::to_array<MediaType>({
    {"html", "text/html; charset=utf-8"},
    {"htm", "text/html; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"txt", "text/plain; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"xml", "application/xml"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"webmanifest", "application/manifest+json"},
    {"wasm", "application/wasm"},
    {"pdf", "application/pdf"},
    {"zip", "application/zip"},
    {"gz", "application/gzip"},
    {"tar", "application/x-tar"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"avif", "image/avif"},
    {"ico", "image/x-icon"},
    {"mp3", "audio/mpeg"},
    {"ogg", "audio/ogg"},
    {"wav", "audio/wav"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"ttf", "font/ttf"},
    {"otf", "font/otf"},
});

// `q=0.5` in thousandths; a malformed weight counts as 0.
int weight_of(std::string_view parameters) noexcept {
    const std::size_t at = parameters.find("q=");
    if (at == std::string_view::npos) return 1000;
    const std::string_view text = trimmed(parameters.substr(at + 2));
    if (text.empty() || !is_digit(text[0]) || text.size() > 5) return 0;
    int weight = (text[0] - '0') * 1000;
    int place = 100;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (i == 1 ? text[i] != '.' : !is_digit(text[i])) return 0;
        if (i == 1) continue;
        weight += (text[i] - '0') * place;
        place /= 10;
    }
    return std::min(weight, 1000);
}

}  // namespace

std::string_view media_type_of(std::string_view file_name) noexcept {
    const std::size_t dot = file_name.rfind('.');
    const std::string_view ending =
        dot == std::string_view::npos ? std::string_view() : file_name.substr(dot + 1);
    for (const MediaType& row : media_types) {
        if (same_word(row.ending, ending)) return row.type;
    }
    return "application/octet-stream";
}

bool is_compressible(std::string_view media_type) noexcept {
    return media_type.starts_with("text/") || media_type.starts_with("application/json") ||
           media_type.starts_with("application/xml") ||
           media_type.starts_with("application/wasm") ||
           media_type.starts_with("application/manifest+json") ||
           media_type.starts_with("image/svg+xml");
}

bool accepts_coding(const Fields& fields, std::string_view coding) noexcept {
    int own = -1;
    int any = -1;
    for (const Field& field : fields) {
        if (!same_word(field.name, "accept-encoding")) continue;
        for_each_in_list(field.value, [&](std::string_view member) {
            const std::size_t semicolon = std::min(member.find(';'), member.size());
            const std::string_view name = trimmed(member.substr(0, semicolon));
            const int weight = weight_of(member.substr(semicolon));
            if (same_word(name, coding)) own = weight;
            if (name == "*") any = weight;
        });
    }
    return own >= 0 ? own > 0 : any > 0;
}

std::expected<std::string, PathError> safe_path(std::string_view path) {
    if (!path.starts_with('/')) return std::unexpected(PathError{"a path begins with a slash"});
    path.remove_prefix(1);
    std::string result;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const auto name = percent_decoded(path.substr(0, end));
        const bool has_slash = end < path.size();
        path.remove_prefix(has_slash ? end + 1 : end);
        if (!name) return std::unexpected(PathError{"a percent sign needs two digits"});
        if (name->empty()) return std::unexpected(PathError{"a name is empty"});
        if (name->front() == '.') return std::unexpected(PathError{"a name begins with a dot"});
        const bool is_unsafe = std::any_of(name->begin(), name->end(), [](char c) {
            return is_control(c) || c == '/' || c == '\\';
        });
        if (is_unsafe)
            return std::unexpected(
                PathError{"a name has a slash, a backslash or a control character"});
        result += *name;
        if (has_slash) result += '/';
    }
    return result;
}

}  // namespace gyre::http
