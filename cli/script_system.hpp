// SPDX-License-Identifier: Apache-2.0
// ScriptSystem: the real system, for scripts. The script's thread.
#pragma once

#include <memory>

#include "lang/script/system.hpp"

namespace gyre::cli {

class ScriptSystem final : public script::System {
public:
    // Before the script ends: a read that is under way passes nothing on.
    void abandon_input();
    std::optional<std::string> read_file(const std::string& path) override;
    script::FileKind kind_of(const std::string& path) override;
    std::string real_path(const std::string& path) override;
    std::string directory() override;
    bool change_directory(const std::string& path) override;
    void write(int stream, std::string_view text) override;
    // Why standard output could not be written; empty: it could.
    [[nodiscard]] const std::string& output_failure() const noexcept { return output_failure_; }
    bool is_terminal(int stream) override;
    void read_input(std::function<void(std::string)> done) override;
    std::string read_input_now() override;
    // All of standard input, for a program that is read from there.
    [[nodiscard]] std::string read_all_input();
    bool fill_random(std::span<std::byte> bytes) override;
    Variables environment() override;
    std::string program_path() override;
    std::string host_name() override;
    std::string release() override;
    int process_id() override;
    bool allows_signals() override { return true; }
    int send_signal(int process, int signal) override;
    int set_priority(int process, int priority) override;
    std::vector<script::NetworkInterface> network_interfaces() override;
    unsigned core_count() override;
    std::size_t resident_bytes() override;

private:
    struct Input;
    std::shared_ptr<Input> input_;
    std::string output_failure_;
};

}  // namespace gyre::cli
