// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/internal/answer.hpp"

#include <system_error>

#include "gyre/net/resolver.hpp"

namespace gyre::script {
namespace {

std::string_view take_part(std::string_view& text) {
    const std::string_view part = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

}  // namespace

// "name": of a host; "system": an error number; "message": of HTTP; else "other". Then the text.
void Answer::fail(std::exception_ptr error) {
    number = -EIO;
    try {
        std::rethrow_exception(std::move(error));
    } catch (const net::NameError& failure) {
        const bool is_missing = failure.kind() == net::NameError::Kind::not_found ||
                                failure.kind() == net::NameError::Kind::refused;
        text = std::string(is_missing ? "name " : "names ") + failure.what();
    } catch (const std::system_error& failure) {
        number = failure.code().value() > 0 ? -failure.code().value() : -EIO;
        text = std::string("system ") + failure.what();
    } catch (const http::MessageRefused& failure) {
        text = std::string("message ") + failure.what();
    } catch (const std::exception& failure) {
        text = std::string("other ") + failure.what();
    }
}

std::string text_of(const http::Fields& fields) {
    std::string made;
    for (const http::Field& field : fields) {
        made.append(field.name).push_back('\0');
        made.append(field.value).push_back('\0');
    }
    return made;
}

std::vector<http::OwnField> fields_of(std::string_view text) {
    std::vector<http::OwnField> made;
    while (!text.empty()) {
        std::string name(take_part(text));
        made.emplace_back(std::move(name), std::string(take_part(text)));
    }
    return made;
}

}  // namespace gyre::script
