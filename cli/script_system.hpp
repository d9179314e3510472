// SPDX-License-Identifier: Apache-2.0
// ScriptSystem: the real system, for scripts. The script's thread.
#pragma once

#include "lang/script/system.hpp"

namespace gyre::cli {

class ScriptSystem final : public script::System {
public:
    std::optional<std::string> read_file(const std::string& path) override;
    script::FileKind kind_of(const std::string& path) override;
    std::string real_path(const std::string& path) override;
    std::string directory() override;
    bool change_directory(const std::string& path) override;
    void write(int stream, std::string_view text) override;
    bool is_terminal(int stream) override;
    std::string read_input() override;
    bool fill_random(std::span<std::byte> bytes) override;
    Variables environment() override;
    std::string program_path() override;
    std::string host_name() override;
    std::string release() override;
    int process_id() override;
    unsigned core_count() override;
    std::size_t resident_bytes() override;
};

}  // namespace gyre::cli
