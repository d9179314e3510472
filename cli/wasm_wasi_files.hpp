// SPDX-License-Identifier: Apache-2.0
// WasiFiles: the file descriptors of a WASI command: standard streams, files, and the folders that are permitted. What may
// wait for the system is a request that a handler answers: standard streams by ops of the loop, files by calls on a thread
// for files. Paths are resolved beneath their folder by the kernel (openat2), links included.
// The scheduler's thread; it outlives the runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/wasm_wasi_call.hpp"
#include "gyre/effect/handlers.hpp"
#include "lang/wasm/guest.hpp"

namespace gyre::cli {

struct WasiFilesOptions {
    std::vector<std::string> folders = {};  // absolute paths
    // The system is called at once: in virtual time nothing else can happen meanwhile.
    bool is_simulated = false;
};

// An open descriptor. Closes itself, unless it is a standard stream; a call on another thread keeps it.
struct WasiDescriptor {
    explicit WasiDescriptor(int number) noexcept : fd(number) {}
    WasiDescriptor(const WasiDescriptor&) = delete;
    WasiDescriptor& operator=(const WasiDescriptor&) = delete;
    ~WasiDescriptor();
    const int fd;
};
using WasiDescriptorPtr = std::shared_ptr<const WasiDescriptor>;

// What a call of the system has returned.
struct WasiDone {
    int code = 0;  // an error number of WASI
    std::string bytes = {};
    std::size_t size = 0;
    WasiDescriptorPtr opened = {};
    bool is_folder = false;
};

class WasiFiles {
public:
    // Of one read or write: a longer one does part.
    static constexpr std::size_t transfer_max_bytes = std::size_t{8} << 20u;
    static constexpr std::uint32_t piece_count_max = 1'024;

    explicit WasiFiles(const WasiFilesOptions& options);
    WasiFiles(const WasiFiles&) = delete;
    WasiFiles& operator=(const WasiFiles&) = delete;
    ~WasiFiles();

    // The imports among `wanted` that may wait, and the handlers that answer them where none is there.
    [[nodiscard]] std::vector<wasm::HandledImport> imports(const std::vector<wasm::Item>& wanted);
    void add_to(effect::Handlers& handlers);

    // Those that return at once, with an error number of WASI.
    int seek(WasiCall& call);
    int fdstat_get(WasiCall& call);
    int prestat_get(WasiCall& call);
    int prestat_dir_name(WasiCall& call);

private:
    using Arguments = effect::Arguments;
    using Value = effect::Value;
    struct Open {
        WasiDescriptorPtr descriptor;
        std::string folder;  // of a permitted folder: its path
        bool is_folder = false;
    };
    struct Op;
    static const Op ops[];
    // The size of the table is known only where it is defined.
    [[nodiscard]] static std::span<const Op> all_ops() noexcept;

    // wasm_wasi_files.cpp: from the module. `code` is the error number if nobody need be asked.
    std::optional<Arguments> ask_read(WasiCall& call, int& code);
    std::optional<Arguments> ask_write(WasiCall& call, int& code);
    std::optional<Arguments> ask_descriptor(WasiCall& call, int& code);
    std::optional<Arguments> ask_open(WasiCall& call, int& code);
    std::optional<Arguments> ask_stat(WasiCall& call, int& code);
    std::optional<Arguments> ask_change(WasiCall& call, int& code);

    // wasm_wasi_handlers.cpp: the answers, records with the error number in `errno`.
    Future<Value> read(Arguments arguments);
    Future<Value> write(Arguments arguments);
    Future<Value> close(Arguments arguments);
    Future<Value> descriptor_stat(Arguments arguments);
    Future<Value> open(Arguments arguments);
    Future<Value> path_stat(Arguments arguments);
    Future<Value> create_folder(Arguments arguments);
    Future<Value> unlink(Arguments arguments);
    Future<Value> remove_folder(Arguments arguments);
    Future<Value> change(Arguments arguments, int (*how)(int, const char*));
    // `work` stays until the future has ended.
    Future<WasiDone> call_system(const std::function<WasiDone()>& work) const;
    [[nodiscard]] bool is_stream(const Open& open) const noexcept;

    // Null: there is no such descriptor, or it is of the other kind.
    [[nodiscard]] const Open* find(std::int64_t number) const;
    [[nodiscard]] const Open* find_file(std::int64_t number) const;
    [[nodiscard]] const Open* find_folder(std::int64_t number) const;

    const bool is_simulated_;
    std::map<std::int64_t, Open> open_;
    std::int64_t last_number_ = 2;
};

// One function that may wait: what it asks, who answers, and how the answer is given to the module.
struct WasiFiles::Op {
    std::string_view name;
    std::string_view params;
    std::optional<Arguments> (WasiFiles::*ask)(WasiCall&, int&);
    Future<Value> (WasiFiles::*answer)(Arguments);
    int (*take)(WasiCall&, const Value&);
};

}  // namespace gyre::cli
