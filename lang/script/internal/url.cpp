// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/url.hpp"

#ifdef GYRE_HAS_ADA
#    include <ada.h>

#    include <utility>
#endif

namespace gyre::script::url {

#ifdef GYRE_HAS_ADA
namespace {

using Url = ada::url_aggregator;

std::string lines_of(const Url& url) {
    std::string made(url.get_href());
    const std::string origin = url.get_origin();
    for (const std::string_view part :
         {std::string_view(origin), url.get_protocol(), url.get_username(), url.get_password(),
          url.get_host(), url.get_hostname(), url.get_port(), url.get_pathname(), url.get_search(),
          url.get_hash()}) {
        made += '\n';
        made += part;
    }
    return made;
}

void set_part(Url& url, std::string_view part, std::string_view value) {
    static constexpr std::pair<std::string_view, bool (Url::*)(std::string_view)> setters[] = {
        {"protocol", &Url::set_protocol}, {"username", &Url::set_username},
        {"password", &Url::set_password}, {"host", &Url::set_host},
        {"hostname", &Url::set_hostname}, {"port", &Url::set_port},
        {"pathname", &Url::set_pathname},
    };
    if (part == "search") return url.set_search(value);
    if (part == "hash") return url.set_hash(value);
    for (const auto& [name, setter] : setters) {
        if (name == part) static_cast<void>((url.*setter)(value));
    }
}

}  // namespace

bool is_available() noexcept {
    return true;
}

std::optional<std::string> parse(std::string_view text, std::optional<std::string_view> base) {
    ada::result<Url> start = Url();
    if (base) start = ada::parse<Url>(*base);
    if (!start) return std::nullopt;
    const ada::result<Url> url = ada::parse<Url>(text, base ? &*start : nullptr);
    if (!url) return std::nullopt;
    return lines_of(*url);
}

std::optional<std::string> update(std::string_view href, std::string_view part,
                                  std::string_view value) {
    ada::result<Url> url = ada::parse<Url>(href);
    if (!url) return std::nullopt;
    set_part(*url, part, value);
    return lines_of(*url);
}

std::optional<std::string> domain_to_ascii(std::string_view name) {
    if (name.empty()) return std::string();
    ada::result<Url> url = ada::parse<Url>("ws://x");
    if (!url || !url->set_hostname(name)) return std::string();
    return std::string(url->get_hostname());
}

std::optional<std::string> domain_to_unicode(std::string_view name) {
    const std::optional<std::string> ascii = domain_to_ascii(name);
    return ada::idna::to_unicode(*ascii);
}
#else
bool is_available() noexcept {
    return false;
}

std::optional<std::string> parse(std::string_view /*text*/,
                                 std::optional<std::string_view> /*base*/) {
    return std::nullopt;
}

std::optional<std::string> update(std::string_view /*href*/, std::string_view /*part*/,
                                  std::string_view /*value*/) {
    return std::nullopt;
}

std::optional<std::string> domain_to_ascii(std::string_view /*name*/) {
    return std::nullopt;
}

std::optional<std::string> domain_to_unicode(std::string_view /*name*/) {
    return std::nullopt;
}
#endif

}  // namespace gyre::script::url
