// SPDX-License-Identifier: Apache-2.0
// SourceFiles: reads the files that a program imports, for the checker. SourceTable holds them in
// memory.
//
//     vela::SourceTable files{{{"lib.vela", "fn one() -> Number { 1 }\n"}}};
//     const auto program = vela::check("main.vela", "import './lib.vela'\n", files);
//
// Thread: the thread of the check.
// Lifetime: outlives the checks that use it.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <utility>

namespace gyre::vela {

class SourceFiles {
public:
    // The text of a file, or an error in one line. The path is the import, relative to the folder
    // of the importing file, in normal form.
    [[nodiscard]] virtual std::expected<std::string, std::string> read(const std::string& path) = 0;

protected:
    ~SourceFiles() = default;
};

// Files by path.
class SourceTable final : public SourceFiles {
public:
    SourceTable() = default;
    explicit SourceTable(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override {
        const auto found = texts_.find(path);
        if (found == texts_.end()) return std::unexpected(path + ": there is none");
        return found->second;
    }

private:
    std::map<std::string, std::string> texts_;
};

}  // namespace gyre::vela
