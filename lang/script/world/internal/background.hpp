// SPDX-License-Identifier: Apache-2.0
// Background: an await whose op does not keep the loop alive, because the script's holds do. The
// script's thread.
#pragma once

#include "gyre/net/detail/socket.hpp"

namespace gyre::script {

template <class Of>
class Background : public net::IoAwaitable<Background<Of>, typename Of::value_type> {
public:
    explicit Background(const Of& of) noexcept : of_(of) {}

    class Await : public Of::Await {
    public:
        Await(PromiseBase& promise, const Background& background) noexcept
            : Of::Await(promise, background.of_) {
            this->set_background(true);
        }
    };

private:
    Of of_;
};

}  // namespace gyre::script
