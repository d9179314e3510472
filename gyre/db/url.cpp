// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/hex.hpp"

namespace gyre::db {

namespace {

constexpr std::size_t url_bytes_max = 4096;
constexpr std::array<std::string_view, 4> postgres_options = {"host", "port", "sslmode",
                                                              "application_name"};
constexpr std::array<std::string_view, 4> ssl_modes = {"", "disable", "require", "verify-full"};

[[noreturn]] void refuse(const std::string& why) {
    throw DbError(DbError::Kind::failed, "the URL of a database " + why);
}

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
        if (high < 0 || low < 0) refuse("has a '%' without two hexadecimal digits");
        if (high == 0 && low == 0) refuse("has a zero byte");
        plain += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return plain;
}

std::uint16_t port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), port);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || port == 0) {
        refuse("has the port '" + std::string(text) + "': 1 to 65535 is possible");
    }
    return port;
}

void read_options(Url& url, std::string_view text) {
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos)
            refuse("has an option without a value: '" + std::string(part) + "'");
        const std::string key = decoded(part.substr(0, equals));
        const std::string value = decoded(part.substr(equals + 1));
        if (std::ranges::find(postgres_options, std::string_view(key)) == postgres_options.end())
            refuse("has an unknown option: '" + key + "'");
        url.options.insert_or_assign(key, value);
    }
    if (!url.option("host").empty()) url.host = url.option("host");
    if (!url.option("port").empty()) url.port = port_of(url.option("port"));
    if (std::ranges::find(ssl_modes, url.option("sslmode")) == ssl_modes.end()) {
        refuse("has the sslmode '" + std::string(url.option("sslmode")) +
               "': disable, require and verify-full are possible");
    }
}

void read_host(Url& url, std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) refuse("has a '[' without a ']'");
        url.host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        if (!text.empty() && text.front() != ':') refuse("has text behind the ']' of its host");
    } else {
        const std::string_view host = text.substr(0, text.find(':'));
        url.host = decoded(host);
        text.remove_prefix(host.size());
    }
    if (text.size() > 1) url.port = port_of(text.substr(1));
    if (url.host.contains(',')) refuse("has several hosts: one is possible");
}

Url parse_postgres(std::string_view rest) {
    Url url{.database = Url::Database::postgres};
    const std::size_t question = rest.find('?');
    const std::string_view options =
        question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
    rest = rest.substr(0, question);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    if (rest.size() > authority.size()) url.name = decoded(rest.substr(authority.size() + 1));
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
        const std::string_view login = authority.substr(0, at);
        const std::string_view user = login.substr(0, login.find(':'));
        url.user = decoded(user);
        if (login.size() > user.size()) url.password = decoded(login.substr(user.size() + 1));
    }
    read_host(url, at == std::string_view::npos ? authority : authority.substr(at + 1));
    read_options(url, options);
    if (url.host.empty()) url.host = "localhost";
    if (url.user.empty()) url.user = "postgres";
    if (url.name.empty()) url.name = url.user;
    return url;
}

}  // namespace

std::string Url::shown() const {
    if (database == Database::sqlite) return "sqlite:" + name;
    return "postgres://" + user + "@" + (is_unix() ? "" : host + ":" + std::to_string(port)) + "/" +
           name + (is_unix() ? "?host=" + host : "");
}

Url parse_url(std::string_view text) {
    if (text.size() > url_bytes_max)
        refuse("is longer than url_bytes_max = " + std::to_string(url_bytes_max));
    if (text.contains('\0')) refuse("has a zero byte");
    for (const std::string_view scheme : {"postgres://", "postgresql://"}) {
        if (text.starts_with(scheme)) return parse_postgres(text.substr(scheme.size()));
    }
    constexpr std::string_view sqlite = "sqlite:";
    if (!text.starts_with(sqlite)) refuse("begins neither with 'postgres://' nor with 'sqlite:'");
    std::string_view path = text.substr(sqlite.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    if (path.empty()) refuse("has no path behind 'sqlite:'");
    return Url{.database = Url::Database::sqlite, .name = std::string(path)};
}

}  // namespace gyre::db
