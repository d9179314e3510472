// SPDX-License-Identifier: Apache-2.0
// The module's side of WASI's files: its memory. Addresses are checked before anybody is asked.
#include "cli/wasm_wasi_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/wasm_wasi_values.hpp"

namespace gyre::cli {

using effect::Arguments;
using effect::Value;

namespace {

// The pieces of memory of a read or write: (address, size) at word 1, their number is word 2.
struct WasiPieces {
    std::vector<std::span<std::byte>> pieces;
    std::size_t size = 0;
    int code = 0;
};
WasiPieces wasi_pieces(const WasiCall& call) {
    WasiPieces made;
    if (call.word(2) > WasiFiles::piece_count_max) {
        made.code = wasi_inval;
        return made;
    }
    for (std::uint32_t i = 0; i < call.word(2); ++i) {
        const std::uint64_t at = std::uint64_t{call.word(1)} + std::uint64_t{8} * i;
        const std::byte* entry = call.bytes(at, 8);
        std::byte* piece =
            entry == nullptr ? nullptr : call.bytes(call.read(at), call.read(at + 4));
        if (piece == nullptr) {
            made.code = wasi_fault;
            return made;
        }
        const std::size_t size =
            std::min<std::size_t>(call.read(at + 4), WasiFiles::transfer_max_bytes - made.size);
        made.pieces.emplace_back(piece, size);
        made.size += size;
    }
    if (call.bytes(call.word(3), 4) == nullptr) made.code = wasi_fault;
    return made;
}

int error_of(const Value& answer) {
    return static_cast<int>(wasi_number(answer, "errno"));
}

int take_read(WasiCall& call, const Value& answer) {
    if (const int code = error_of(answer); code != 0) return code;
    std::string_view left = wasi_bytes(answer, "bytes");
    const WasiPieces to = wasi_pieces(call);
    if (to.code != 0) return to.code;
    if (left.size() > to.size) throw Failure("fd_read: more bytes than were asked for");
    const auto size = static_cast<std::uint32_t>(left.size());
    for (const std::span<std::byte> piece : to.pieces) {
        const std::size_t part = std::min(piece.size(), left.size());
        if (part > 0) std::memcpy(piece.data(), left.data(), part);
        left.remove_prefix(part);
    }
    return call.write(call.word(3), size) ? 0 : wasi_fault;
}

int take_written(WasiCall& call, const Value& answer) {
    if (const int code = error_of(answer); code != 0) return code;
    const auto size = static_cast<std::uint32_t>(wasi_number(answer, "size"));
    return call.write(call.word(3), size) ? 0 : wasi_fault;
}

int take_descriptor(WasiCall& call, const Value& answer) {
    if (const int code = error_of(answer); code != 0) return code;
    const auto number = static_cast<std::uint32_t>(wasi_number(answer, "fd"));
    return call.write(call.word(8), number) ? 0 : wasi_fault;
}

template <std::size_t word>
int take_stat(WasiCall& call, const Value& answer) {
    if (const int code = error_of(answer); code != 0) return code;
    const std::string_view stat = wasi_bytes(answer, "stat");
    std::byte* to = call.bytes(call.word(word), stat.size());
    if (to == nullptr) return wasi_fault;
    std::memcpy(to, stat.data(), stat.size());
    return 0;
}

int take_nothing(WasiCall& /*call*/, const Value& answer) {
    return error_of(answer);
}

}  // namespace

const WasiFiles::Op WasiFiles::ops[] = {
    {"fd_read", "iiii", &WasiFiles::ask_read, &WasiFiles::read, &take_read},
    {"fd_write", "iiii", &WasiFiles::ask_write, &WasiFiles::write, &take_written},
    {"fd_close", "i", &WasiFiles::ask_descriptor, &WasiFiles::close, &take_nothing},
    {"fd_filestat_get", "ii", &WasiFiles::ask_descriptor, &WasiFiles::descriptor_stat,
     &take_stat<1>},
    {"path_open", "iiiiiIIii", &WasiFiles::ask_open, &WasiFiles::open, &take_descriptor},
    {"path_filestat_get", "iiiii", &WasiFiles::ask_stat, &WasiFiles::path_stat, &take_stat<4>},
    {"path_create_directory", "iii", &WasiFiles::ask_change, &WasiFiles::create_folder,
     &take_nothing},
    {"path_unlink_file", "iii", &WasiFiles::ask_change, &WasiFiles::unlink, &take_nothing},
    {"path_remove_directory", "iii", &WasiFiles::ask_change, &WasiFiles::remove_folder,
     &take_nothing},
};

std::span<const WasiFiles::Op> WasiFiles::all_ops() noexcept {
    return ops;
}

WasiFiles::WasiFiles(const WasiFilesOptions& options) : is_simulated_(options.is_simulated) {
    for (int fd = 0; fd <= 2; ++fd) {
        open_[fd] = {.descriptor = std::make_shared<WasiDescriptor>(fd), .folder = ""};
    }
    for (const std::string& folder : options.folders) {
        const int fd = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) continue;
        open_[++last_number_] = {.descriptor = std::make_shared<WasiDescriptor>(fd),
                                 .folder = folder,
                                 .is_folder = true};
    }
}
WasiFiles::~WasiFiles() = default;

WasiDescriptor::~WasiDescriptor() {
    if (fd > 2) ::close(fd);
}

std::vector<wasm::HandledImport> WasiFiles::imports(const std::vector<wasm::Item>& wanted) {
    std::vector<wasm::HandledImport> made;
    for (const wasm::Item& item : wanted) {
        const auto op = std::ranges::find_if(
            ops, [&item](const Op& one) { return is_wasi_function(item, one.name, one.params); });
        if (op == std::end(ops)) continue;
        const auto give = [](std::span<wasm::Cell> results, int code) {
            if (!results.empty()) results[0] = wasm::cell(code);
        };
        made.push_back(
            {.module = item.module,
             .name = item.name,
             .ask =
                 [this, op, give](wasm::Instance& instance, std::span<const wasm::Cell> given,
                                  std::span<wasm::Cell> results) {
                     WasiCall call(instance, given);
                     int code = 0;
                     auto asked = (this->*op->ask)(call, code);
                     if (!asked) give(results, code);
                     return asked;
                 },
             .take =
                 [op, give](wasm::Instance& instance, std::span<const wasm::Cell> given,
                            const Value& answer, std::span<wasm::Cell> results) {
                     WasiCall call(instance, given);
                     give(results, op->take(call, answer));
                 }});
    }
    return made;
}

const WasiFiles::Open* WasiFiles::find(std::int64_t number) const {
    const auto found = open_.find(number);
    return found == open_.end() ? nullptr : &found->second;
}
const WasiFiles::Open* WasiFiles::find_file(std::int64_t number) const {
    const Open* open = find(number);
    return open == nullptr || open->is_folder ? nullptr : open;
}
const WasiFiles::Open* WasiFiles::find_folder(std::int64_t number) const {
    const Open* open = find(number);
    return open == nullptr || !open->is_folder ? nullptr : open;
}

std::optional<Arguments> WasiFiles::ask_read(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find_file(call.word(0)) == nullptr) return std::nullopt;
    const WasiPieces to = wasi_pieces(call);
    code = to.code;
    if (code != 0) return std::nullopt;
    return Arguments::of(call.word(0), to.size);
}

std::optional<Arguments> WasiFiles::ask_write(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find_file(call.word(0)) == nullptr) return std::nullopt;
    const WasiPieces from = wasi_pieces(call);
    code = from.code;
    if (code != 0) return std::nullopt;
    Value::Blob bytes;
    bytes.reserve(from.size);
    for (const std::span<std::byte> piece : from.pieces) {
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
    return Arguments::of(call.word(0), std::move(bytes));
}

std::optional<Arguments> WasiFiles::ask_descriptor(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find(call.word(0)) == nullptr) return std::nullopt;
    return Arguments::of(call.word(0));
}

std::optional<Arguments> WasiFiles::ask_open(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find_folder(call.word(0)) == nullptr) return std::nullopt;
    code = wasi_fault;
    if (call.bytes(call.word(8), 4) == nullptr) return std::nullopt;
    return Arguments::of(call.word(0), call.text(2), call.word(4), call.wide(5), call.word(7));
}

std::optional<Arguments> WasiFiles::ask_stat(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find_folder(call.word(0)) == nullptr) return std::nullopt;
    return Arguments::of(call.word(0), call.text(2));
}

std::optional<Arguments> WasiFiles::ask_change(WasiCall& call, int& code) {
    code = wasi_badf;
    if (find_folder(call.word(0)) == nullptr) return std::nullopt;
    return Arguments::of(call.word(0), call.text(1));
}

int WasiFiles::seek(WasiCall& call) {
    const Open* open = find_file(call.word(0));
    if (open == nullptr) return wasi_badf;
    constexpr int origins[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    if (call.word(2) > 2) return wasi_inval;
    const off_t at = ::lseek(open->descriptor->fd, call.wide(1), origins[call.word(2)]);
    if (at < 0) return wasi_error(errno);
    return call.write(call.word(3), static_cast<std::uint64_t>(at)) ? 0 : wasi_fault;
}

int WasiFiles::prestat_get(WasiCall& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->folder.empty()) return wasi_badf;
    const auto size = static_cast<std::uint32_t>(open->folder.size());
    const std::uint64_t at = call.word(1);
    return call.write(at, std::uint32_t{0}) && call.write(at + 4, size) ? 0 : wasi_fault;
}

int WasiFiles::prestat_dir_name(WasiCall& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->folder.empty()) return wasi_badf;
    if (call.word(2) < open->folder.size()) return wasi_inval;
    std::byte* to = call.bytes(call.word(1), open->folder.size());
    if (to == nullptr) return wasi_fault;
    std::memcpy(to, open->folder.data(), open->folder.size());
    return 0;
}

}  // namespace gyre::cli
