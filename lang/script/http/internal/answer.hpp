// SPDX-License-Identifier: Apache-2.0
// Answer: what a task answers to a script: it is posted when the Answer goes, so also when the task is
// cancelled. And the texts in which fields cross: NAME, NUL, VALUE, NUL. The script's thread.
#pragma once

#include <cerrno>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/http/client.hpp"
#include "gyre/http/message.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class Answer {
public:
    Answer(Script& script, double id) noexcept : script_(script), id_(id) {}
    ~Answer() { script_.post_done(id_, number, std::move(text)); }
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

    // A negative number is an error, and the text says which; see http_errors.js.
    double number = -ECANCELED;
    std::string text;

    void fail(std::exception_ptr error);

private:
    Script& script_;
    const double id_;
};

[[nodiscard]] std::string text_of(const http::Fields& fields);
[[nodiscard]] std::vector<http::OwnField> fields_of(std::string_view text);

}  // namespace gyre::script
