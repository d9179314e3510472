// SPDX-License-Identifier: Apache-2.0
// The system's side of WASI's files: the handlers that answer requests of modules. No call of the system is made on the loop's
// thread, but in virtual time.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

#include "cli/wasm_wasi_files.hpp"
#include "cli/wasm_wasi_values.hpp"
#include "gyre/net/standard.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::cli {

using effect::Arguments;
using effect::Value;

int wasi_error(int system_error) noexcept {
    constexpr std::pair<int, int> numbers[] = {
        {EACCES, wasi_access},    {EPERM, wasi_access},   {EAGAIN, wasi_again},
        {EBADF, wasi_badf},       {EEXIST, wasi_exist},   {EINVAL, wasi_inval},
        {EISDIR, wasi_isdir},     {EMFILE, wasi_mfile},   {ENOENT, wasi_noent},
        {ENOSPC, wasi_nospc},     {ENOTDIR, wasi_notdir}, {ENOTEMPTY, wasi_notempty},
        {ENXIO, wasi_nxio},       {EPIPE, wasi_pipe},     {ESPIPE, wasi_spipe},
        {EXDEV, wasi_notcapable},  // a path that leads out of its folder
        {ELOOP, wasi_notcapable},
    };
    for (const auto& [system, wasi] : numbers) {
        if (system == system_error) return wasi;
    }
    return wasi_io;
}

namespace {

WasiDone failed_call() {
    return {.code = wasi_error(errno)};
}

Value error_record(int code) {
    return wasi_record({{"errno", code}});
}
Value read_record(const WasiDone& done) {
    return wasi_record({{"errno", done.code}, {"bytes", Value(wasi_blob(done.bytes))}});
}
Value written_record(const WasiDone& done) {
    return wasi_record({{"errno", done.code}, {"size", done.size}});
}
Value opened_record(std::int64_t number) {
    return wasi_record({{"errno", 0}, {"fd", number}});
}
Value stat_record(const WasiDone& done) {
    return wasi_record({{"errno", done.code}, {"stat", Value(wasi_blob(done.bytes))}});
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

// The struct filestat of WASI.
WasiDone stat_of(int fd) {
    struct stat stat{};
    if (::fstat(fd, &stat) != 0) return failed_call();
    const auto time = [](const timespec& when) {
        return static_cast<std::uint64_t>(when.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(when.tv_nsec);
    };
    const std::uint64_t words[] = {stat.st_dev,
                                   stat.st_ino,
                                   file_type(stat),
                                   stat.st_nlink,
                                   static_cast<std::uint64_t>(stat.st_size),
                                   time(stat.st_atim),
                                   time(stat.st_mtim),
                                   time(stat.st_ctim)};
    return {.bytes = std::string(reinterpret_cast<const char*>(words), sizeof words)};
}

WasiDone read_some(int fd, std::size_t size_max) {
    std::string bytes(size_max, '\0');
    ssize_t size = -1;
    do {
        size = ::read(fd, bytes.data(), bytes.size());
    } while (size < 0 && errno == EINTR);
    if (size < 0) return failed_call();
    bytes.resize(static_cast<std::size_t>(size));
    return {.bytes = std::move(bytes)};
}

WasiDone write_all(int fd, const Value::Blob& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t size = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && done > 0) break;
        if (size < 0) return failed_call();
        done += static_cast<std::size_t>(size);
    }
    return {.size = done};
}

WasiDone error_of_stream(const std::system_error& error) {
    return {.code = wasi_error(error.code().value())};
}

Future<WasiDone> read_stream(int fd, std::size_t size_max) {
    try {
        std::string bytes(size_max, '\0');
        const net::StandardStream stream(fd);
        const std::size_t size =
            co_await stream.read(std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
        bytes.resize(size);
        co_return WasiDone{.bytes = std::move(bytes)};
    } catch (const std::system_error& error) {
        co_return error_of_stream(error);
    }
}

Future<WasiDone> write_stream(int fd, const Value::Blob* bytes) {
    try {
        const net::StandardStream stream(fd);
        co_await stream.write(*bytes);
        co_return WasiDone{.size = bytes->size()};
    } catch (const std::system_error& error) {
        co_return error_of_stream(error);
    }
}

// The flags of open(2) for those of path_open. Nothing waits: a FIFO without a peer is an error, or `again`.
int open_flags(std::int64_t how, std::uint64_t rights, std::int64_t flags) {
    constexpr std::int64_t creates = 1;
    constexpr std::int64_t is_folder = 2;
    constexpr std::int64_t is_exclusive = 4;
    constexpr std::int64_t truncates = 8;
    constexpr std::uint64_t may_read = 2;
    constexpr std::uint64_t may_write = 64;
    constexpr std::int64_t appends = 1;
    if ((how & is_folder) != 0) return O_PATH | O_DIRECTORY;
    int made = (rights & may_write) == 0 ? O_RDONLY : (rights & may_read) == 0 ? O_WRONLY : O_RDWR;
    made |= O_NONBLOCK | O_NOCTTY;
    if ((how & creates) != 0) made |= O_CREAT;
    if ((how & is_exclusive) != 0) made |= O_EXCL;
    if ((how & truncates) != 0) made |= O_TRUNC;
    if ((flags & appends) != 0) made |= O_APPEND;
    return made;
}

// The folder of the name is opened beneath; the name itself is changed there, and is no link to follow.
WasiDone change_beneath(int at, std::string path, int (*change)(int, const char*)) {
    while (path.ends_with('/')) path.pop_back();
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    const std::string name = path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") return {.code = wasi_inval};
    const int fd = open_beneath(at, folder, O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return failed_call();
    WasiDone done;
    if (change(fd, name.c_str()) != 0) done = failed_call();
    ::close(fd);
    return done;
}

Future<effect::Answer> tail_with(Future<Value> value) {
    Value answer = co_await std::move(value);
    co_return effect::tail(std::move(answer));
}

}  // namespace

void WasiFiles::add_to(effect::Handlers& handlers) {
    for (const Op& op : all_ops()) {
        const effect::OpInfo info(wasi_module, op.name, effect::ResumeKind::tail);
        if (handlers.find(info) != nullptr) continue;
        handlers.on(wasi_module, op.name, effect::any_signature,
                    [this, &op](effect::Context&, Arguments arguments) {
                        return tail_with((this->*op.answer)(std::move(arguments)));
                    });
    }
}

Future<WasiDone> WasiFiles::call_system(const std::function<WasiDone()>& work) const {
    if (is_simulated_) co_return work();
    co_return co_await blocking(work, WorkKind::files);
}

bool WasiFiles::is_stream(const Open& open) const noexcept {
    return !is_simulated_ && open.descriptor->fd <= 2;
}

// The descriptors were found when the module asked, and only its own calls close them.
Future<Value> WasiFiles::read(Arguments arguments) {
    const Open open = open_.at(arguments[0].integer());
    const auto size = static_cast<std::size_t>(arguments[1].integer());
    WasiDone done;
    if (is_stream(open)) {
        done = co_await read_stream(open.descriptor->fd, size);
    } else {
        const std::function<WasiDone()> work = [descriptor = open.descriptor, size] {
            return read_some(descriptor->fd, size);
        };
        done = co_await call_system(work);
    }
    co_return read_record(done);
}

Future<Value> WasiFiles::write(Arguments arguments) {
    const Open open = open_.at(arguments[0].integer());
    WasiDone done;
    if (is_stream(open)) {
        done = co_await write_stream(open.descriptor->fd, &arguments[1].bytes());
    } else {
        const std::function<WasiDone()> work = [descriptor = open.descriptor, &arguments] {
            return write_all(descriptor->fd, arguments[1].bytes());
        };
        done = co_await call_system(work);
    }
    co_return written_record(done);
}

Future<Value> WasiFiles::close(Arguments arguments) {
    auto closed = open_.extract(arguments[0].integer());
    WasiDescriptorPtr& last = closed.mapped().descriptor;
    const std::function<WasiDone()> work = [&last] {
        last.reset();
        return WasiDone();
    };
    const WasiDone done = co_await call_system(work);
    co_return error_record(done.code);
}

Future<Value> WasiFiles::descriptor_stat(Arguments arguments) {
    const Open open = open_.at(arguments[0].integer());
    const std::function<WasiDone()> work = [descriptor = open.descriptor] {
        return stat_of(descriptor->fd);
    };
    const WasiDone done = co_await call_system(work);
    co_return stat_record(done);
}

Future<Value> WasiFiles::open(Arguments arguments) {
    const Open folder = open_.at(arguments[0].integer());
    const int flags =
        open_flags(arguments[2].integer(), static_cast<std::uint64_t>(arguments[3].integer()),
                   arguments[4].integer());
    const std::function<WasiDone()> work = [at = folder.descriptor, path = arguments[1].text(),
                                            flags] {
        const int fd = open_beneath(at->fd, path, flags, 0666);
        if (fd < 0) return failed_call();
        WasiDone made{.opened = std::make_shared<WasiDescriptor>(fd)};
        struct stat stat{};
        static_cast<void>(::fstat(fd, &stat));
        made.is_folder = S_ISDIR(stat.st_mode);
        return made;
    };
    const WasiDone done = co_await call_system(work);
    if (done.code != 0) co_return error_record(done.code);
    open_[++last_number_] = {.descriptor = done.opened, .folder = "", .is_folder = done.is_folder};
    co_return opened_record(last_number_);
}

Future<Value> WasiFiles::path_stat(Arguments arguments) {
    const Open folder = open_.at(arguments[0].integer());
    const std::function<WasiDone()> work = [at = folder.descriptor, path = arguments[1].text()] {
        const int fd = open_beneath(at->fd, path, O_PATH, 0);
        if (fd < 0) return failed_call();
        WasiDone done = stat_of(fd);
        ::close(fd);
        return done;
    };
    const WasiDone done = co_await call_system(work);
    co_return stat_record(done);
}

Future<Value> WasiFiles::change(Arguments arguments, int (*how)(int, const char*)) {
    const Open folder = open_.at(arguments[0].integer());
    const std::function<WasiDone()> work = [at = folder.descriptor, path = arguments[1].text(),
                                            how] { return change_beneath(at->fd, path, how); };
    const WasiDone done = co_await call_system(work);
    co_return error_record(done.code);
}
Future<Value> WasiFiles::create_folder(Arguments arguments) {
    return change(std::move(arguments),
                  [](int at, const char* name) { return ::mkdirat(at, name, 0777); });
}
Future<Value> WasiFiles::unlink(Arguments arguments) {
    return change(std::move(arguments),
                  [](int at, const char* name) { return ::unlinkat(at, name, 0); });
}
Future<Value> WasiFiles::remove_folder(Arguments arguments) {
    return change(std::move(arguments),
                  [](int at, const char* name) { return ::unlinkat(at, name, AT_REMOVEDIR); });
}

int WasiFiles::fdstat_get(WasiCall& call) {
    const Open* open = find(call.word(0));
    struct stat stat{};
    if (open == nullptr) return wasi_badf;
    if (::fstat(open->descriptor->fd, &stat) != 0) return wasi_error(errno);
    const std::uint64_t at = call.word(1);
    const bool is_written =
        call.write(at, std::uint64_t{0}) && call.write(at + 8, ~std::uint64_t{0}) &&
        call.write(at + 16, ~std::uint64_t{0}) && call.write(at, file_type(stat));
    return is_written ? 0 : wasi_fault;
}

}  // namespace gyre::cli
