// SPDX-License-Identifier: Apache-2.0
// SourceFiles: where the checker gets the files from that a program imports: from the system, as
// the commands of gyre do, or from a SourceTable. One thread; outlives the checks that use it.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <utility>

namespace gyre::vela {

class SourceFiles {
public:
    // The text at a path, or one line that says why there is none. The path is the importing file's
    // folder with the import behind it, without `.` and `..` where that can be.
    [[nodiscard]] virtual std::expected<std::string, std::string> read(const std::string& path) = 0;

protected:
    ~SourceFiles() = default;
};

// Files in memory, by path.
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
