// SPDX-License-Identifier: Apache-2.0
// Sandbox: a System that shows a script only what the permissions of another one open. Without them
// there are no files, no network, no environment, no children and no signals; there is output,
// standard input and chance.
//
//     script::Sandbox sandbox(system, permissions);
//     sandbox.add_program("/srv/app.js");
//     script::Script program(clock, sandbox, {.engine = script::v8::make_engine});
//
// Thread: as System.
// Lifetime: the system outlives it; it outlives the scripts that use it.
//
// The program itself may be read: its main file, and below the folder of that file what is code
// (.js, .mjs, .cjs, .ts, .mts, .cts) or package.json. A path is judged by its real path, so a link leads nowhere
// else. The working directory is the sandbox's own: the first permitted folder, else "/".
#pragma once

#include <string>

#include "lang/script/system.hpp"

namespace gyre::script {

class Sandbox final : public System {
public:
    Sandbox(System& outside, Permissions permissions);

    // The main file, as an absolute path.
    void add_program(const std::string& file);

    std::string refusal(Access access, const std::string& what) override;
    const Permissions* permissions() override { return &permissions_; }

    std::optional<std::string> read_file(const std::string& path) override;
    FileKind kind_of(const std::string& path) override;
    std::string real_path(const std::string& path) override;
    std::string directory() override { return directory_; }
    bool change_directory(const std::string& path) override;

    void write(int stream, std::string_view text) override { outside_.write(stream, text); }
    bool is_terminal(int stream) override { return outside_.is_terminal(stream); }
    void read_input(std::function<void(std::string)> done) override {
        outside_.read_input(std::move(done));
    }
    std::string read_input_now() override { return outside_.read_input_now(); }
    bool fill_random(std::span<std::byte> bytes) override { return outside_.fill_random(bytes); }
    Variables environment() override;
    std::string program_path() override { return outside_.program_path(); }
    int process_id() override { return outside_.process_id(); }
    int send_signal(int /*process*/, int /*signal*/) override { return EPERM; }
    unsigned core_count() override { return outside_.core_count(); }
    std::size_t resident_bytes() override { return outside_.resident_bytes(); }

private:
    [[nodiscard]] bool may_use(const std::string& path);
    [[nodiscard]] bool is_program(const std::string& real) const;

    System& outside_;
    const Permissions permissions_;
    std::string directory_;
    std::string main_file_;
    std::string program_folder_;
};

}  // namespace gyre::script
