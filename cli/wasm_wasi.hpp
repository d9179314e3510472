// SPDX-License-Identifier: Apache-2.0
// Wasi: WASI preview 1 for plain modules, on this program's clock: arguments, environment, clocks, random, standard streams,
// and files below the folders that --allow permits. What a module imports beyond that is refused by name before it
// runs. The scheduler's thread; it outlives the runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/base/random.hpp"
#include "gyre/kernel/clock.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::cli {

struct WasiOptions {
    std::vector<std::string> arguments = {};    // the first is the name of the program
    std::vector<std::string> environment = {};  // NAME=VALUE
    std::vector<std::string> folders = {};      // absolute paths
    std::uint64_t seed = 1;
    std::function<Instant()> read_time = {};
    std::int64_t system_start_ms = 0;
};

// The module has called proc_exit.
class WasiExit : public Failure {
public:
    explicit WasiExit(int code) : Failure("proc_exit " + std::to_string(code)), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

class Wasi {
public:
    static constexpr std::string_view module_name = "wasi_snapshot_preview1";

    explicit Wasi(WasiOptions options);
    ~Wasi();
    Wasi(const Wasi&) = delete;
    Wasi& operator=(const Wasi&) = delete;

    // One function for each import that it has.
    [[nodiscard]] std::vector<wasm::HostImport> imports(const std::vector<wasm::Item>& wanted);

private:
    class Call;
    struct Row;
    struct Open {
        int fd = -1;
        std::string folder;  // of a permitted folder: its path
        bool is_folder = false;
    };
    static const Row rows[];

    int list_sizes(Call& call, const std::vector<std::string>& list);
    int list_get(Call& call, const std::vector<std::string>& list);
    int clock_time(Call& call);
    int random_get(Call& call);
    int fd_write(Call& call);
    int fd_read(Call& call);
    int fd_seek(Call& call);
    int fd_close(Call& call);
    int fd_fdstat_get(Call& call);
    int fd_filestat_get(Call& call);
    int fd_prestat_get(Call& call);
    int fd_prestat_dir_name(Call& call);
    int path_open(Call& call);
    int path_filestat_get(Call& call);
    int path_change(Call& call, int (*change)(int, const char*));
    [[nodiscard]] Open* find(std::int64_t fd);

    WasiOptions options_;
    Random random_;
    std::map<std::int64_t, Open> open_;
    std::int64_t last_fd_ = 2;
};

}  // namespace gyre::cli
