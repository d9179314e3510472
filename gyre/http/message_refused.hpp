// SPDX-License-Identifier: Apache-2.0
// MessageRefused: a message that is not taken, thrown where it is read. A handler lets it pass: the
// server answers it with its status. A plain value.
#pragma once

#include <stdexcept>
#include <string>

#include "gyre/http/refusal.hpp"

namespace gyre::http {

class MessageRefused : public std::runtime_error {
public:
    explicit MessageRefused(Refusal why)
        : std::runtime_error("a message is refused: " + std::string(name_of(why))), why_(why) {}
    [[nodiscard]] Refusal why() const noexcept { return why_; }

private:
    Refusal why_;
};

}  // namespace gyre::http
