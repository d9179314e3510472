// SPDX-License-Identifier: Apache-2.0
// System: what a script sees of the operating system: files to import, the environment, output,
// chance. The program gyre implements it with the real system; a test or an embedding host gives
// what it wants its scripts to see. The functions here are those of an empty system.
//
//     class Files final : public script::System {
//         std::optional<std::string> read_file(const std::string& path) override { return texts.at(path); }
//     } files;
//     script::Script program(clock, files, {.engine = script::v8::make_engine});
//
// Thread: called on the script's thread.
// Lifetime: outlives the scripts that use it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/io/permissions.hpp"

namespace gyre::script {

// `refused`: the script may not look there.
enum class FileKind : std::uint8_t { none, file, directory, refused };
// What a script reaches for outside of itself.
enum class Access : std::uint8_t { file, network, variable, child, signal };

// One address of an interface of the machine.
struct NetworkInterface {
    std::string name = {};
    std::string address = {};
    std::string netmask = {};
    std::string hardware_address = {};  // "00:00:00:00:00:00"
    bool is_internal = false;
    std::uint32_t scope = 0;  // of an address of IPv6
};

class System {
public:
    virtual ~System() = default;

    // Why the script may not do this: a sentence that names the permission; empty: it may. `what` is
    // the path, HOST:PORT, the name of the variable, the program or the signal.
    [[nodiscard]] virtual std::string refusal(Access /*access*/, const std::string& /*what*/) {
        return {};
    }
    // Null: the script is in no sandbox.
    [[nodiscard]] virtual const Permissions* permissions() { return nullptr; }

    [[nodiscard]] virtual std::optional<std::string> read_file(const std::string& /*path*/) {
        return std::nullopt;
    }
    [[nodiscard]] virtual FileKind kind_of(const std::string& /*path*/) { return FileKind::none; }
    // With all links resolved; the path itself where that fails.
    [[nodiscard]] virtual std::string real_path(const std::string& path) { return path; }
    [[nodiscard]] virtual std::string directory() { return "/"; }
    [[nodiscard]] virtual bool change_directory(const std::string& /*path*/) { return false; }

    // 1 is standard output, 2 standard error.
    virtual void write(int /*stream*/, std::string_view /*text*/) {}
    [[nodiscard]] virtual bool is_terminal(int /*stream*/) { return false; }
    // Reads a part of standard input without blocking the caller, and passes it on once, from any
    // thread; at the end an empty text.
    virtual void read_input(std::function<void(std::string)> done) { done({}); }

    // The same, but waits for it.
    [[nodiscard]] virtual std::string read_input_now() { return {}; }

    // Unpredictable bytes; false: there are none.
    [[nodiscard]] virtual bool fill_random(std::span<std::byte> /*bytes*/) { return false; }

    using Variables = std::vector<std::pair<std::string, std::string>>;
    [[nodiscard]] virtual Variables environment() { return {}; }
    [[nodiscard]] virtual std::string program_path() { return "gyre"; }
    [[nodiscard]] virtual std::string host_name() { return "localhost"; }
    [[nodiscard]] virtual std::string release() { return ""; }
    [[nodiscard]] virtual int process_id() { return 1; }
    // Whether the script may listen to the signals of the process.
    [[nodiscard]] virtual bool allows_signals() { return false; }
    // Sends a signal; 0, or the number of the error.
    [[nodiscard]] virtual int send_signal(int /*process*/, int /*signal*/) { return EPERM; }
    // Sets the nice value of a process, 0 is this one; 0, or the number of the error.
    [[nodiscard]] virtual int set_priority(int /*process*/, int /*priority*/) { return EPERM; }
    [[nodiscard]] virtual std::vector<NetworkInterface> network_interfaces() { return {}; }
    [[nodiscard]] virtual unsigned core_count() { return 1; }
    [[nodiscard]] virtual std::size_t resident_bytes() { return 0; }
};

}  // namespace gyre::script
