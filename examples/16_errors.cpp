// SPDX-License-Identifier: Apache-2.0
// Errors: an operating error is an Error, returned without a throw; any other failure is an
// exception. The caller chooses to handle it as a Result, as an exception, or not at all.
//
//     $ build/release/bin/examples/16_errors
//     a: port 80
//     b: No such file or directory
//     c: 'many' is no number
//     d: port 8080, the usual one
//     e: neither a nor b will do

// [head]
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
// [/head]

// [fail]
Future<std::string> setting(std::string name) {
    static const std::map<std::string, std::string> all = {{"a", "80"}, {"c", "many"}};
    const auto found = all.find(name);
    if (found == all.end()) co_await fail(Error(std::errc::no_such_file_or_directory));
    co_return found->second;
}

Future<int> port(std::string name) {
    const std::string text = co_await setting(std::move(name));
    if (text.find_first_not_of("0123456789") != text.npos) {
        throw std::invalid_argument("'" + text + "' is no number");
    }
    co_return std::stoi(text);
}
// [/fail]

// [try]
Future<void> show(std::string name) {
    try {
        const Result<int> found = co_await try_(port(name));
        if (found) std::printf("%s: port %d\n", name.c_str(), *found);
        if (!found) std::printf("%s: %s\n", name.c_str(), found.error().message().c_str());
    } catch (const std::invalid_argument& e) {
        std::printf("%s: %s\n", name.c_str(), e.what());
    }
}
// [/try]

// [chain]
Future<void> show_chains() {
    const auto usual = [](const std::exception_ptr&) { return 8080; };
    const int found = co_await port("d").catch_error(usual);
    std::printf("d: port %d, the usual one\n", found);

    const auto refuse = [](int) -> int { throw std::runtime_error("neither a nor b will do"); };
    try {
        co_await port("b").or_(port("a")).map(refuse);
    } catch (const std::runtime_error& e) {
        std::printf("e: %s\n", e.what());
    }
}
// [/chain]

int main() {
    return gyre::run([]() -> Future<void> {
        for (const char* name : {"a", "b", "c"}) co_await show(name);
        co_await show_chains();
    });
}
