// SPDX-License-Identifier: Apache-2.0
// Fuzz target: an editor may send anything: no crash, no hang, and only whole messages come back.
// Each line of the input is the content of a message; a line that begins with `!` is sent as it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/vela/lsp/language_server.hpp"

namespace {

class OneFile final : public gyre::vela::WorkspaceFiles {
public:
    std::expected<std::string, std::string> read(const std::string& /*path*/) override {
        return "struct Imported { n: Number }\nfn imported() -> Number { 1 }\n";
    }
    std::vector<std::string> list(const std::string& folder, std::size_t /*count_max*/) override {
        return {folder + "/lib.vela"};
    }
};

std::string framed(std::string_view content) {
    return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

void check_output(std::string_view output) {
    while (!output.empty()) {
        const std::size_t end = output.find("\r\n\r\n");
        GYRE_ASSERT(output.starts_with("Content-Length: ") && end != std::string_view::npos,
                    "an answer has a header");
        const std::size_t length = std::stoul(std::string(output.substr(16, end - 16)));
        GYRE_ASSERT(end + 4 + length <= output.size(), "an answer is whole");
        output.remove_prefix(end + 4 + length);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    OneFile files;
    gyre::vela::LanguageServer server(files, {.message_bytes_max = 1U << 16U});
    server.receive(framed(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"rootUri":"file:///w"}})"));
    std::string_view rest(reinterpret_cast<const char*>(data), size_bytes);
    while (!rest.empty() && !server.is_over()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.starts_with('!')) {
            server.receive(line.substr(1));
        } else {
            server.receive(framed(line));
        }
        while (server.has_work()) server.work();
        check_output(server.take_output());
    }
    return 0;
}
