// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/internal/names.hpp"

#include <utility>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/http/internal/answer.hpp"

namespace gyre::script {
namespace {

// Without the port: "127.0.0.1:0" and "[::1]:0".
std::string host_of(const Address& address) {
    std::string text = address.to_string();
    text.resize(text.rfind(':'));
    if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
    return text;
}

// A question tells a server outside the name: it needs a permitted host of this name.
bool may_ask(const Permissions* permissions, const std::string& name) {
    if (permissions == nullptr) return true;
    for (const std::string& place : permissions->hosts) {
        if (place.substr(0, place.rfind(':')) == name) return true;
    }
    return false;
}

}  // namespace

void ScriptNames::find(NativeCall& call) {
    script_.hold();
    const int family = static_cast<int>(call.number(2));
    static_cast<void>(executor_.root().spawn(find_later(call.number(0), call.text(1), family)));
}

Future<void> ScriptNames::find_later(double id, std::string name, int family) {
    Answer answer(script_, id);
    std::exception_ptr error;
    try {
        if (!may_ask(script_.system().permissions(), name)) {
            throw Failure("the name " + name + " is not permitted: --allow net=" + name + ":PORT");
        }
        std::vector<Address> found;
        if (family == 0) {
            found = co_await resolver_.resolve(name, 0);
        } else {
            found = co_await resolver_.resolve(
                name, 0, family == 6 ? Address::Family::ipv6 : Address::Family::ipv4);
        }
        for (const Address& address : found) answer.text += host_of(address) + '\0';
        answer.number = static_cast<double>(found.size());
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        error = std::current_exception();
    }
    if (error != nullptr) answer.fail(std::move(error));
}

}  // namespace gyre::script
