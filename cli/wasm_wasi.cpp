// SPDX-License-Identifier: Apache-2.0
// Each function returns an errno of WASI, 0 for success, and reads and writes the module's memory through a Call, which
// checks every address. Paths are resolved beneath their folder by the kernel (openat2), links included.
#include "cli/wasm_wasi.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gyre::cli {
namespace {

// The numbers of WASI, which are not those of the system.
constexpr int wasi_access = 2;
constexpr int wasi_badf = 8;
constexpr int wasi_exist = 20;
constexpr int wasi_fault = 21;
constexpr int wasi_inval = 28;
constexpr int wasi_io = 29;
constexpr int wasi_isdir = 31;
constexpr int wasi_noent = 44;
constexpr int wasi_notdir = 54;
constexpr int wasi_notempty = 55;
constexpr int wasi_spipe = 70;
constexpr int wasi_notcapable = 76;

int from_errno(int error) noexcept {
    switch (error) {
        case EACCES:
        case EPERM:
            return wasi_access;
        case EBADF:
            return wasi_badf;
        case EEXIST:
            return wasi_exist;
        case EINVAL:
            return wasi_inval;
        case EISDIR:
            return wasi_isdir;
        case ENOENT:
            return wasi_noent;
        case ENOTDIR:
            return wasi_notdir;
        case ENOTEMPTY:
            return wasi_notempty;
        case ESPIPE:
            return wasi_spipe;
        case EXDEV:  // a path that leads out of its folder
        case ELOOP:
            return wasi_notcapable;
        default:
            return wasi_io;
    }
}

int open_beneath(int folder, const std::string& path, int flags, unsigned mode) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
    how.mode = (flags & O_CREAT) != 0 ? mode : 0;
    how.resolve = RESOLVE_BENEATH;
    return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

std::uint8_t file_type(const struct stat& stat) noexcept {
    constexpr std::uint8_t character_device = 2;
    constexpr std::uint8_t directory = 3;
    constexpr std::uint8_t regular_file = 4;
    if (S_ISDIR(stat.st_mode)) return directory;
    if (S_ISCHR(stat.st_mode)) return character_device;
    return S_ISREG(stat.st_mode) ? regular_file : 0;
}

}  // namespace

// The arguments and the memory of one call.
class Wasi::Call {
public:
    Call(wasm::Instance& instance, std::span<const wasm::Cell> arguments)
        : arguments_(arguments), memory_(memory_of(instance)) {}

    [[nodiscard]] std::uint32_t word(std::size_t at) const {
        return static_cast<std::uint32_t>(arguments_[at].i32);
    }
    [[nodiscard]] std::int64_t wide(std::size_t at) const { return arguments_[at].i64; }
    // Null where it is not inside of the memory.
    [[nodiscard]] std::byte* bytes(std::uint64_t at, std::uint64_t size) const noexcept {
        if (at > memory_.size() || size > memory_.size() - at) return nullptr;
        return memory_.data() + at;
    }
    template <class Number>
    [[nodiscard]] bool write(std::uint64_t at, Number number) const noexcept {
        std::byte* to = bytes(at, sizeof number);
        if (to != nullptr) std::memcpy(to, &number, sizeof number);
        return to != nullptr;
    }
    [[nodiscard]] std::uint32_t read(std::uint64_t at) const {
        std::uint32_t number = 0;
        const std::byte* from = bytes(at, sizeof number);
        if (from == nullptr) throw Failure("a WASI call with an address outside of the memory");
        std::memcpy(&number, from, sizeof number);
        return number;
    }
    [[nodiscard]] std::string text(std::size_t at) const {
        const std::byte* from = bytes(word(at), word(at + 1));
        if (from == nullptr) throw Failure("a WASI call with a path outside of the memory");
        return {reinterpret_cast<const char*>(from), word(at + 1)};
    }

private:
    static std::span<std::byte> memory_of(wasm::Instance& instance) {
        static_cast<void>(instance.use_memory("memory"));
        return instance.memory();
    }
    std::span<const wasm::Cell> arguments_;
    std::span<std::byte> memory_;
};

struct Wasi::Row {
    std::string_view name;
    std::string_view params;  // i: i32, I: i64
    int (*call)(Wasi&, Call&);
};

const Wasi::Row Wasi::rows[] = {
    {"args_sizes_get", "ii",
     [](Wasi& w, Call& c) { return w.list_sizes(c, w.options_.arguments); }},
    {"args_get", "ii", [](Wasi& w, Call& c) { return w.list_get(c, w.options_.arguments); }},
    {"environ_sizes_get", "ii",
     [](Wasi& w, Call& c) { return w.list_sizes(c, w.options_.environment); }},
    {"environ_get", "ii", [](Wasi& w, Call& c) { return w.list_get(c, w.options_.environment); }},
    {"clock_time_get", "iIi", [](Wasi& w, Call& c) { return w.clock_time(c); }},
    {"clock_res_get", "ii",
     [](Wasi&, Call& c) { return c.write(c.word(1), std::uint64_t{1'000}) ? 0 : wasi_fault; }},
    {"random_get", "ii", [](Wasi& w, Call& c) { return w.random_get(c); }},
    {"fd_write", "iiii", [](Wasi& w, Call& c) { return w.fd_write(c); }},
    {"fd_read", "iiii", [](Wasi& w, Call& c) { return w.fd_read(c); }},
    {"fd_seek", "iIii", [](Wasi& w, Call& c) { return w.fd_seek(c); }},
    {"fd_close", "i", [](Wasi& w, Call& c) { return w.fd_close(c); }},
    {"fd_fdstat_get", "ii", [](Wasi& w, Call& c) { return w.fd_fdstat_get(c); }},
    {"fd_fdstat_set_flags", "ii", [](Wasi&, Call&) { return 0; }},
    {"fd_filestat_get", "ii", [](Wasi& w, Call& c) { return w.fd_filestat_get(c); }},
    {"fd_prestat_get", "ii", [](Wasi& w, Call& c) { return w.fd_prestat_get(c); }},
    {"fd_prestat_dir_name", "iii", [](Wasi& w, Call& c) { return w.fd_prestat_dir_name(c); }},
    {"path_open", "iiiiiIIii", [](Wasi& w, Call& c) { return w.path_open(c); }},
    {"path_filestat_get", "iiiii", [](Wasi& w, Call& c) { return w.path_filestat_get(c); }},
    {"path_create_directory", "iii",
     [](Wasi& w, Call& c) {
         return w.path_change(c,
                              [](int at, const char* name) { return ::mkdirat(at, name, 0777); });
     }},
    {"path_unlink_file", "iii",
     [](Wasi& w, Call& c) {
         return w.path_change(c, [](int at, const char* name) { return ::unlinkat(at, name, 0); });
     }},
    {"path_remove_directory", "iii",
     [](Wasi& w, Call& c) {
         return w.path_change(
             c, [](int at, const char* name) { return ::unlinkat(at, name, AT_REMOVEDIR); });
     }},
    {"sched_yield", "", [](Wasi&, Call&) { return 0; }},
    {"proc_exit", "i", [](Wasi&, Call& c) -> int { throw WasiExit(static_cast<int>(c.word(0))); }},
};

Wasi::Wasi(WasiOptions options) : options_(std::move(options)), random_(options_.seed) {
    for (int fd = 0; fd <= 2; ++fd) open_[fd] = {.fd = fd, .folder = "", .is_folder = false};
    for (const std::string& folder : options_.folders) {
        const int fd = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) open_[++last_fd_] = {.fd = fd, .folder = folder, .is_folder = true};
    }
}

Wasi::~Wasi() {
    for (const auto& [number, one] : open_) {
        if (one.fd > 2) ::close(one.fd);
    }
}

std::vector<wasm::HostImport> Wasi::imports(const std::vector<wasm::Item>& wanted) {
    std::vector<wasm::HostImport> made;
    for (const wasm::Item& item : wanted) {
        if (item.module != module_name) continue;
        std::string params;
        for (const wasm::CellKind kind : item.params) {
            params += kind == wasm::CellKind::i32 ? 'i' : kind == wasm::CellKind::i64 ? 'I' : '?';
        }
        const bool has_result = item.results == std::vector{wasm::CellKind::i32};
        for (const Row& row : rows) {
            if (row.name != item.name || row.params != params) continue;
            if (!has_result && !item.results.empty()) continue;
            made.push_back(
                {item.module, item.name,
                 [this, &row](wasm::Instance& instance, std::span<const wasm::Cell> given,
                              std::span<wasm::Cell> results) {
                     Call call(instance, given);
                     const int code = row.call(*this, call);
                     if (!results.empty()) results[0] = wasm::cell(code);
                 }});
        }
    }
    return made;
}

Wasi::Open* Wasi::find(std::int64_t fd) {
    const auto found = open_.find(fd);
    return found == open_.end() ? nullptr : &found->second;
}

int Wasi::list_sizes(Call& call, const std::vector<std::string>& list) {
    std::uint32_t size = 0;
    for (const std::string& one : list) size += static_cast<std::uint32_t>(one.size() + 1);
    const bool is_written = call.write(call.word(0), static_cast<std::uint32_t>(list.size())) &&
                            call.write(call.word(1), size);
    return is_written ? 0 : wasi_fault;
}

int Wasi::list_get(Call& call, const std::vector<std::string>& list) {
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

int Wasi::clock_time(Call& call) {
    constexpr std::uint32_t realtime = 0;
    const std::uint64_t now = options_.read_time().nanoseconds();
    const auto start = static_cast<std::uint64_t>(options_.system_start_ms) * 1'000'000;
    const std::uint64_t time = call.word(0) == realtime ? start + now : now;
    return call.write(call.word(2), time) ? 0 : wasi_fault;
}

int Wasi::random_get(Call& call) {
    std::byte* to = call.bytes(call.word(0), call.word(1));
    if (to == nullptr) return wasi_fault;
    for (std::uint32_t i = 0; i < call.word(1); ++i) to[i] = std::byte(random_.next() >> 56u);
    return 0;
}

int Wasi::fd_write(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->is_folder) return wasi_badf;
    std::uint32_t written = 0;
    for (std::uint32_t i = 0; i < call.word(2); ++i) {
        const std::uint64_t part = std::uint64_t{call.word(1)} + std::uint64_t{8} * i;
        const std::uint32_t size = call.read(part + 4);
        const std::byte* from = call.bytes(call.read(part), size);
        if (from == nullptr) return wasi_fault;
        std::uint32_t done = 0;
        while (done < size) {
            const ssize_t count = ::write(open->fd, from + done, size - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return from_errno(errno);
            done += static_cast<std::uint32_t>(count);
        }
        written += done;
    }
    return call.write(call.word(3), written) ? 0 : wasi_fault;
}

int Wasi::fd_read(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->is_folder) return wasi_badf;
    std::uint32_t total = 0;
    for (std::uint32_t i = 0; i < call.word(2); ++i) {
        const std::uint64_t part = std::uint64_t{call.word(1)} + std::uint64_t{8} * i;
        const std::uint32_t size = call.read(part + 4);
        std::byte* to = call.bytes(call.read(part), size);
        if (to == nullptr) return wasi_fault;
        const ssize_t count = ::read(open->fd, to, size);
        if (count < 0) return from_errno(errno);
        total += static_cast<std::uint32_t>(count);
        if (static_cast<std::uint32_t>(count) < size) break;
    }
    return call.write(call.word(3), total) ? 0 : wasi_fault;
}

int Wasi::fd_seek(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->is_folder) return wasi_badf;
    constexpr int origins[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    if (call.word(2) > 2) return wasi_inval;
    const off_t at = ::lseek(open->fd, call.wide(1), origins[call.word(2)]);
    if (at < 0) return from_errno(errno);
    return call.write(call.word(3), static_cast<std::uint64_t>(at)) ? 0 : wasi_fault;
}

int Wasi::fd_close(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr) return wasi_badf;
    if (open->fd > 2) ::close(open->fd);
    open_.erase(call.word(0));
    return 0;
}

int Wasi::fd_fdstat_get(Call& call) {
    const Open* open = find(call.word(0));
    struct stat stat{};
    if (open == nullptr) return wasi_badf;
    if (::fstat(open->fd, &stat) != 0) return from_errno(errno);
    const std::uint32_t at = call.word(1);
    const bool is_written =
        call.write(at, std::uint64_t{0}) && call.write(at + 8, ~std::uint64_t{0}) &&
        call.write(at + 16, ~std::uint64_t{0}) && call.write(at, file_type(stat));
    return is_written ? 0 : wasi_fault;
}

namespace {

template <class Call>
int write_filestat(Call& call, std::uint32_t at, const struct stat& stat) {
    const auto time = [](const timespec& when) {
        return static_cast<std::uint64_t>(when.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(when.tv_nsec);
    };
    const bool is_written = call.write(at, std::uint64_t{stat.st_dev}) &&
                            call.write(at + 8, std::uint64_t{stat.st_ino}) &&
                            call.write(at + 16, std::uint64_t{file_type(stat)}) &&
                            call.write(at + 24, std::uint64_t{stat.st_nlink}) &&
                            call.write(at + 32, static_cast<std::uint64_t>(stat.st_size)) &&
                            call.write(at + 40, time(stat.st_atim)) &&
                            call.write(at + 48, time(stat.st_mtim)) &&
                            call.write(at + 56, time(stat.st_ctim));
    return is_written ? 0 : wasi_fault;
}

}  // namespace

int Wasi::fd_filestat_get(Call& call) {
    const Open* open = find(call.word(0));
    struct stat stat{};
    if (open == nullptr) return wasi_badf;
    if (::fstat(open->fd, &stat) != 0) return from_errno(errno);
    return write_filestat(call, call.word(1), stat);
}

int Wasi::fd_prestat_get(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->folder.empty()) return wasi_badf;
    const auto size = static_cast<std::uint32_t>(open->folder.size());
    const bool is_written =
        call.write(call.word(1), std::uint32_t{0}) && call.write(call.word(1) + 4, size);
    return is_written ? 0 : wasi_fault;
}

int Wasi::fd_prestat_dir_name(Call& call) {
    const Open* open = find(call.word(0));
    if (open == nullptr || open->folder.empty()) return wasi_badf;
    if (call.word(2) < open->folder.size()) return wasi_inval;
    std::byte* to = call.bytes(call.word(1), open->folder.size());
    if (to == nullptr) return wasi_fault;
    std::memcpy(to, open->folder.data(), open->folder.size());
    return 0;
}

int Wasi::path_open(Call& call) {
    constexpr unsigned creates = 1;
    constexpr unsigned is_folder = 2;
    constexpr unsigned is_exclusive = 4;
    constexpr unsigned truncates = 8;
    constexpr std::uint64_t may_read = 2;
    constexpr std::uint64_t may_write = 64;
    constexpr unsigned appends = 1;
    const Open* at = find(call.word(0));
    if (at == nullptr || !at->is_folder) return wasi_badf;
    const unsigned how = call.word(4);
    const auto rights = static_cast<std::uint64_t>(call.wide(5));
    int flags = (rights & may_write) == 0 ? O_RDONLY : (rights & may_read) == 0 ? O_WRONLY : O_RDWR;
    if ((how & creates) != 0) flags |= O_CREAT;
    if ((how & is_exclusive) != 0) flags |= O_EXCL;
    if ((how & truncates) != 0) flags |= O_TRUNC;
    if ((call.word(7) & appends) != 0) flags |= O_APPEND;
    if ((how & is_folder) != 0) flags = O_PATH | O_DIRECTORY;
    const int fd = open_beneath(at->fd, call.text(2), flags, 0666);
    if (fd < 0) return from_errno(errno);
    struct stat stat{};
    static_cast<void>(::fstat(fd, &stat));
    open_[++last_fd_] = {.fd = fd, .folder = "", .is_folder = S_ISDIR(stat.st_mode)};
    return call.write(call.word(8), static_cast<std::uint32_t>(last_fd_)) ? 0 : wasi_fault;
}

int Wasi::path_filestat_get(Call& call) {
    const Open* at = find(call.word(0));
    if (at == nullptr || !at->is_folder) return wasi_badf;
    const int fd = open_beneath(at->fd, call.text(2), O_PATH, 0);
    if (fd < 0) return from_errno(errno);
    struct stat stat{};
    static_cast<void>(::fstat(fd, &stat));
    ::close(fd);
    return write_filestat(call, call.word(4), stat);
}

// The folder of the name is opened beneath; the name itself is changed there, and is no link to follow.
int Wasi::path_change(Call& call, int (*change)(int, const char*)) {
    const Open* at = find(call.word(0));
    if (at == nullptr || !at->is_folder) return wasi_badf;
    std::string path = call.text(1);
    while (path.ends_with('/')) path.pop_back();
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    const std::string name = path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") return wasi_inval;
    const int fd = open_beneath(at->fd, folder, O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return from_errno(errno);
    const int result = change(fd, name.c_str());
    const int error = errno;
    ::close(fd);
    return result == 0 ? 0 : from_errno(error);
}

}  // namespace gyre::cli
