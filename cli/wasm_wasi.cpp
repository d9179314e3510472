// SPDX-License-Identifier: Apache-2.0
// The table of WASI's functions that return at once; arguments, environment, clocks and random numbers. Each function returns
// an errno of WASI, 0 for success, and reads and writes the module's memory through a WasiCall, which checks every address.
#include "cli/wasm_wasi.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gyre::cli {
namespace {

int list_sizes(WasiCall& call, const std::vector<std::string>& list) {
    std::uint32_t size = 0;
    for (const std::string& one : list) size += static_cast<std::uint32_t>(one.size() + 1);
    const bool is_written = call.write(call.word(0), static_cast<std::uint32_t>(list.size())) &&
                            call.write(call.word(1), size);
    return is_written ? 0 : wasi_fault;
}

int list_get(WasiCall& call, const std::vector<std::string>& list) {
    std::uint32_t pointer = call.word(0);
    std::uint32_t at = call.word(1);
    for (const std::string& one : list) {
        std::byte* to = call.bytes(at, one.size() + 1);
        if (to == nullptr || !call.write(pointer, at)) return wasi_fault;
        std::memcpy(to, one.c_str(), one.size() + 1);
        pointer += 4;
        at += static_cast<std::uint32_t>(one.size() + 1);
    }
    return 0;
}

}  // namespace

struct Wasi::Row {
    std::string_view name;
    std::string_view params;
    int (*call)(Wasi&, WasiCall&);
};

const Wasi::Row Wasi::rows[] = {
    {"args_sizes_get", "ii",
     [](Wasi& w, WasiCall& c) { return list_sizes(c, w.options_.arguments); }},
    {"args_get", "ii", [](Wasi& w, WasiCall& c) { return list_get(c, w.options_.arguments); }},
    {"environ_sizes_get", "ii",
     [](Wasi& w, WasiCall& c) { return list_sizes(c, w.options_.environment); }},
    {"environ_get", "ii", [](Wasi& w, WasiCall& c) { return list_get(c, w.options_.environment); }},
    {"clock_time_get", "iIi", [](Wasi& w, WasiCall& c) { return w.clock_time(c); }},
    {"clock_res_get", "ii",
     [](Wasi&, WasiCall& c) { return c.write(c.word(1), std::uint64_t{1'000}) ? 0 : wasi_fault; }},
    {"random_get", "ii", [](Wasi& w, WasiCall& c) { return w.random_get(c); }},
    {"fd_seek", "iIii", [](Wasi& w, WasiCall& c) { return w.files_.seek(c); }},
    {"fd_fdstat_get", "ii", [](Wasi& w, WasiCall& c) { return w.files_.fdstat_get(c); }},
    {"fd_fdstat_set_flags", "ii", [](Wasi&, WasiCall&) { return 0; }},
    {"fd_prestat_get", "ii", [](Wasi& w, WasiCall& c) { return w.files_.prestat_get(c); }},
    {"fd_prestat_dir_name", "iii",
     [](Wasi& w, WasiCall& c) { return w.files_.prestat_dir_name(c); }},
    {"sched_yield", "", [](Wasi&, WasiCall&) { return 0; }},
    {"proc_exit", "i",
     [](Wasi&, WasiCall& c) -> int { throw WasiExit(static_cast<int>(c.word(0))); }},
};

bool is_wasi_function(const wasm::Item& item, std::string_view name, std::string_view params) {
    const auto fits = [](wasm::CellKind kind, char letter) {
        return kind == (letter == 'i' ? wasm::CellKind::i32 : wasm::CellKind::i64);
    };
    const bool has_result = item.results == std::vector{wasm::CellKind::i32};
    return item.module == wasi_module && item.name == name &&
           item.kind == wasm::ItemKind::function && (has_result || item.results.empty()) &&
           std::ranges::equal(item.params, params, fits);
}

Wasi::Wasi(WasiOptions options)
    : options_(std::move(options)), random_(options_.seed), files_(options_.files) {}

std::vector<wasm::HostImport> Wasi::imports(const std::vector<wasm::Item>& wanted) {
    std::vector<wasm::HostImport> made;
    for (const wasm::Item& item : wanted) {
        const auto row = std::ranges::find_if(
            rows, [&item](const Row& one) { return is_wasi_function(item, one.name, one.params); });
        if (row == std::end(rows)) continue;
        const auto function = [this, row](wasm::Instance& instance,
                                          std::span<const wasm::Cell> given,
                                          std::span<wasm::Cell> results) {
            WasiCall call(instance, given);
            const int code = row->call(*this, call);
            if (!results.empty()) results[0] = wasm::cell(code);
        };
        made.push_back({.module = item.module, .name = item.name, .function = function});
    }
    return made;
}

int Wasi::clock_time(WasiCall& call) {
    constexpr std::uint32_t realtime = 0;
    const std::uint64_t now = options_.read_time().nanoseconds();
    const auto start = static_cast<std::uint64_t>(options_.system_start_ms) * 1'000'000;
    std::uint64_t time = call.word(0) == realtime ? start + now : now;
    if (call.word(0) == realtime && options_.read_wall_clock) {
        time = static_cast<std::uint64_t>(options_.read_wall_clock());
    }
    return call.write(call.word(2), time) ? 0 : wasi_fault;
}

int Wasi::random_get(WasiCall& call) {
    std::byte* to = call.bytes(call.word(0), call.word(1));
    if (to == nullptr) return wasi_fault;
    for (std::uint32_t i = 0; i < call.word(1); ++i) to[i] = std::byte(random_.next() >> 56u);
    return 0;
}

}  // namespace gyre::cli
