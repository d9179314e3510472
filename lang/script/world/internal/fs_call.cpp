// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/fs_call.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "gyre/fs/confined.hpp"
#include "gyre/fs/file.hpp"

namespace gyre::script {
namespace {

// More is an error: such a file is read in parts.
constexpr std::uint64_t read_bytes_max = std::uint64_t{2} << 30u;
constexpr std::size_t copy_bytes = std::size_t{1} << 18u;
constexpr std::size_t entry_count_max = 1'000'000;
constexpr std::size_t removed_at_once = 10'000;

// What fails leaves as this.
struct Failed {
    Error error;
};

template <class T>
T checked(Result<T> result) {
    if (!result) throw Failed{result.error()};
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

OpenOptions options_of(unsigned flags, double mode) {
    return {.read = (flags & fs_read) != 0,
            .write = (flags & fs_write) != 0,
            .create = (flags & fs_create) != 0,
            .truncate = (flags & fs_truncate) != 0,
            .append = (flags & fs_append) != 0,
            .exclusive = (flags & fs_exclusive) != 0,
            .mode = static_cast<std::uint32_t>(mode)};
}

std::int64_t ns_of(double seconds) {
    constexpr double limit = 9.2e9;
    return static_cast<std::int64_t>(std::llround(std::clamp(seconds, -limit, limit) * 1e9));
}

std::string text_of(const FileDetails& found) {
    std::string text;
    const auto add = [&text](auto number) { text += std::to_string(number) + ' '; };
    add(found.device);
    add(found.whole_mode);
    add(found.link_count);
    add(found.owner);
    add(found.group);
    add(found.special_device);
    add(found.block_bytes);
    add(found.number);
    add(found.size_bytes);
    add(found.block_count);
    add(found.accessed_ns);
    add(found.modified_ns);
    add(found.changed_ns);
    add(found.created_ns);
    text.pop_back();
    return text;
}

bool is_folder(std::uint32_t whole_mode) {
    return (whole_mode & 0170000u) == 0040000u;
}

// The calls of one FsCall; each member is a verb.
class Running {
public:
    Running(FsCall& call, FileTree& tree, FileCalls& calls)
        : call_(call), tree_(tree), calls_(calls) {}

    void confine();
    void run();

private:
    [[nodiscard]] std::shared_ptr<OpenFile> open(unsigned flags, double mode);
    [[nodiscard]] std::size_t read_part(OpenFile& file, Bytes into, std::uint64_t offset);
    [[nodiscard]] std::size_t write_all(OpenFile& file, ConstBytes from, std::uint64_t offset);
    void read();
    void write();
    void make_folders();
    void copy();
    [[nodiscard]] char letter_of(const FolderEntry& entry);
    void list();
    void read_file();
    void write_file();
    void remove_tree();
    void run_on_names();
    void run_on_open();
    [[nodiscard]] Links links(double follows_not) const {
        return follows_not == 1 ? Links::themselves : Links::followed;
    }
    [[nodiscard]] OpenFile& file() const {
        if (call_.file == nullptr) throw Failed{Error(std::errc::bad_file_descriptor)};
        return *call_.file;
    }

    FsCall& call_;
    FileTree& tree_;
    FileCalls& calls_;
};

// A link is judged by the place that it would lead to.
void Running::confine() {
    if (call_.permissions == nullptr) return;
    const auto inside = [this](const std::string& path) {
        return fs::confined_now(*call_.permissions, tree_, path);
    };
    const bool has_path = !call_.path.empty() || call_.file == nullptr;
    if (has_path && call_.verb != FsVerb::close) call_.path = inside(call_.path);
    switch (call_.verb) {
        case FsVerb::rename:
        case FsVerb::copy:
        case FsVerb::link:
            call_.other = inside(call_.other);
            return;
        case FsVerb::symlink: {
            const std::string folder = call_.path.substr(0, call_.path.rfind('/') + 1);
            const bool is_whole = call_.other.starts_with('/');
            static_cast<void>(inside(is_whole ? call_.other : folder + call_.other));
            return;
        }
        default:
            return;
    }
}

std::shared_ptr<OpenFile> Running::open(unsigned flags, double mode) {
    const Links how = (flags & fs_no_link) != 0 ? Links::themselves : Links::followed;
    const Fd fd = checked(calls_.open(call_.path, options_of(flags, mode), how));
    return std::make_shared<OpenFile>(tree_, fd, (flags & fs_append) != 0, (flags & fs_sync) != 0);
}

std::size_t Running::read_part(OpenFile& file, Bytes into, std::uint64_t offset) {
    const Result<std::size_t> count = tree_.read_at(file.fd, into, offset);
    if (!count && count.error().code() == std::errc::invalid_seek) {
        return checked(calls_.read_next(file.fd, into));
    }
    return checked(count);
}

std::size_t Running::write_all(OpenFile& file, ConstBytes from, std::uint64_t offset) {
    std::size_t done = 0;
    while (done < from.size()) {
        const ConstBytes rest = from.subspan(done);
        Result<std::size_t> count = tree_.write_at(file.fd, rest, offset + done);
        if (!count && count.error().code() == std::errc::invalid_seek) {
            count = calls_.write_next(file.fd, rest);
        }
        done += checked(count);
    }
    if (file.syncs) checked(calls_.sync(file.fd));
    return done;
}

// y: the offset; negative: the position of the file, which moves.
void Running::read() {
    OpenFile& from = file();
    if (call_.y >= 0) {
        call_.number = static_cast<std::int64_t>(
            read_part(from, call_.bytes, static_cast<std::uint64_t>(call_.y)));
        return;
    }
    const std::lock_guard lock(from.moving);
    const std::size_t count = read_part(from, call_.bytes, from.position);
    from.position += count;
    call_.number = static_cast<std::int64_t>(count);
}

void Running::write() {
    OpenFile& to = file();
    if (call_.y >= 0) {
        call_.number = static_cast<std::int64_t>(
            write_all(to, call_.bytes, static_cast<std::uint64_t>(call_.y)));
        return;
    }
    const std::lock_guard lock(to.moving);
    const std::size_t count = write_all(to, call_.bytes, to.position);
    to.position += count;
    call_.number = static_cast<std::int64_t>(count);
}

// The first folder that was made is the text, as mkdir tells it.
void Running::make_folders() {
    const auto mode = static_cast<std::uint32_t>(call_.x);
    if (call_.y != 1) return checked(tree_.make_folder(call_.path, mode));
    std::string path = call_.path;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    std::vector<std::string> missing;
    for (;;) {
        const Result<void> made = tree_.make_folder(path, mode);
        if (made) {
            call_.text = path;
            break;
        }
        const bool has_parent = path.find('/', 1) != std::string::npos;
        if (made.error().code() == std::errc::no_such_file_or_directory && has_parent) {
            missing.push_back(path);
            path.resize(path.rfind('/'));
            continue;
        }
        const Result<FileDetails> found = calls_.details(path, Links::followed);
        if (!found || !is_folder(found->whole_mode)) {
            const bool is_last = missing.empty();
            throw Failed{found && !is_last ? Error(std::errc::not_a_directory) : made.error()};
        }
        break;
    }
    for (std::size_t i = missing.size(); i > 0; --i) {
        checked(tree_.make_folder(missing[i - 1], mode));
        if (call_.text.empty()) call_.text = missing[i - 1];
    }
}

// x: COPYFILE_EXCL is 1.
void Running::copy() {
    const auto from = open(fs_read, 0);
    const FileDetails found = checked(calls_.details_of_open(from->fd));
    if (is_folder(found.whole_mode)) throw Failed{Error(std::errc::is_a_directory)};
    OpenOptions how{.read = false, .write = true, .create = true};
    how.exclusive = (static_cast<unsigned>(call_.x) & 1u) != 0;
    how.mode = found.whole_mode & 07777u;
    const OpenFile to(tree_, checked(calls_.open(call_.other, how)), false, false);
    const FileDetails old = checked(calls_.details_of_open(to.fd));
    if (old.device == found.device && old.number == found.number) return;
    checked(tree_.resize(to.fd, 0));
    std::vector<std::byte> block(copy_bytes);
    for (std::uint64_t at = 0;;) {
        const std::size_t count = checked(tree_.read_at(from->fd, block, at));
        if (count == 0) break;
        for (std::size_t done = 0; done < count;) {
            done +=
                checked(tree_.write_at(to.fd, Bytes(block).subspan(done, count - done), at + done));
        }
        at += count;
    }
    checked(tree_.set_mode(to.fd, how.mode));
}

char Running::letter_of(const FolderEntry& entry) {
    if (entry.kind == gyre::FileKind::file) return 'f';
    if (entry.kind == gyre::FileKind::folder) return 'd';
    if (entry.kind == gyre::FileKind::link) return 'l';
    const auto found = calls_.details(call_.path + "/" + entry.name, Links::themselves);
    switch (found ? found->whole_mode & 0170000u : 0) {
        case 0010000u:
            return 'p';
        case 0140000u:
            return 's';
        case 0020000u:
            return 'c';
        case 0060000u:
            return 'b';
        default:
            return 'o';
    }
}

// A letter for the kind and the name, with a NUL behind it.
void Running::list() {
    for (const FolderEntry& entry : checked(tree_.list(call_.path, entry_count_max))) {
        call_.text += letter_of(entry);
        call_.text += entry.name;
        call_.text += '\0';
    }
}

// A file of /proc tells no size: it is read until its end. z: an open file, from its position on.
void Running::read_file() {
    std::shared_ptr<OpenFile> from = call_.file;
    if (from == nullptr) from = open(static_cast<unsigned>(call_.x) | fs_read, 0666);
    call_.text = "read";  // What fails from here on is no open.
    const FileDetails found = checked(calls_.details_of_open(from->fd));
    if (is_folder(found.whole_mode)) throw Failed{Error(std::errc::is_a_directory)};
    if (found.size_bytes > read_bytes_max) throw Failed{Error(std::errc::file_too_large)};
    const std::lock_guard lock(from->moving);
    std::vector<std::byte>& into = call_.own;
    const std::uint64_t begin = from->position;
    into.resize(static_cast<std::size_t>(found.size_bytes - std::min(begin, found.size_bytes)) + 1);
    std::size_t size = 0;
    for (;;) {
        if (size == into.size()) into.resize(std::max<std::size_t>(2 * size, 4096));
        const std::size_t count = read_part(*from, Bytes(into).subspan(size), begin + size);
        if (count == 0) break;
        size += count;
        if (size > read_bytes_max) throw Failed{Error(std::errc::file_too_large)};
    }
    into.resize(size);
    from->position = begin + size;
    call_.number = static_cast<std::int64_t>(size);
}

void Running::write_file() {
    std::shared_ptr<OpenFile> to = call_.file;
    if (to == nullptr) to = open(static_cast<unsigned>(call_.x), call_.y);
    const std::lock_guard lock(to->moving);
    call_.text = "write";
    to->position += write_all(*to, call_.bytes, to->position);
}

void Running::remove_tree() {
    while (!checked(tree_.remove_some(call_.path, removed_at_once))) continue;
}

void Running::run_on_open() {
    switch (call_.verb) {
        case FsVerb::read:
            return read();
        case FsVerb::write:
            return write();
        case FsVerb::open_stat:
            call_.text = text_of(checked(calls_.details_of_open(file().fd)));
            return;
        case FsVerb::open_chmod:
            return checked(tree_.set_mode(file().fd, static_cast<std::uint32_t>(call_.y)));
        case FsVerb::open_chown:
            return checked(calls_.set_owner_of_open(
                file().fd,
                {static_cast<std::uint32_t>(call_.y), static_cast<std::uint32_t>(call_.z)}));
        case FsVerb::open_utimes:
            return checked(calls_.set_times_of_open(file().fd, {ns_of(call_.y), ns_of(call_.z)}));
        case FsVerb::resize:
            return checked(tree_.resize(file().fd, static_cast<std::uint64_t>(call_.y)));
        case FsVerb::sync:
            return checked(calls_.sync(file().fd));
        default:
            static_cast<void>(file());  // close: the last user does it
    }
}

void Running::run_on_names() {
    const std::string& path = call_.path;
    const auto mode = static_cast<std::uint32_t>(call_.x);
    switch (call_.verb) {
        case FsVerb::open:
            call_.opened = open(static_cast<unsigned>(call_.x), call_.y);
            call_.number = call_.opened->fd;
            return;
        case FsVerb::stat:
            call_.text = text_of(checked(calls_.details(path, links(call_.x))));
            return;
        case FsVerb::access:
            return checked(calls_.check_access(path, mode));
        case FsVerb::chmod:
            return checked(calls_.set_mode(path, mode));
        case FsVerb::chown:
            return checked(calls_.set_owner(path, {mode, static_cast<std::uint32_t>(call_.y)},
                                            links(call_.z)));
        case FsVerb::utimes:
            return checked(
                calls_.set_times(path, {ns_of(call_.x), ns_of(call_.y)}, links(call_.z)));
        case FsVerb::mkdir:
            return make_folders();
        case FsVerb::rmdir:
            return checked(calls_.remove_folder(path));
        case FsVerb::unlink:
            return checked(calls_.remove_file(path));
        case FsVerb::rename:
            return checked(tree_.rename(path, call_.other));
        case FsVerb::copy:
            return copy();
        case FsVerb::symlink:
            return checked(tree_.symbolic_link(call_.other, path));
        case FsVerb::link:
            return checked(tree_.link(path, call_.other));
        case FsVerb::readlink:
            call_.text = checked(tree_.read_link(path));
            return;
        case FsVerb::realpath:
            call_.text = checked(tree_.real_path(path));
            return;
        case FsVerb::readdir:
            return list();
        case FsVerb::remove_tree:
            return remove_tree();
        default:
            throw Failed{Error(std::errc::function_not_supported)};
    }
}

void Running::run() {
    switch (call_.verb) {
        case FsVerb::close:
        case FsVerb::read:
        case FsVerb::write:
        case FsVerb::open_stat:
        case FsVerb::open_chmod:
        case FsVerb::open_chown:
        case FsVerb::open_utimes:
        case FsVerb::resize:
        case FsVerb::sync:
            return run_on_open();
        case FsVerb::read_file:
            return read_file();
        case FsVerb::write_file:
            return write_file();
        case FsVerb::mkdtemp: {
            const std::size_t slash = call_.path.rfind('/');
            const bool has_folder = slash != std::string::npos;
            // "/tmp/x-" and "x-"; a folder "" makes a name below the working directory.
            call_.text = checked(tree_.make_unique_folder(
                has_folder ? call_.path.substr(0, std::max<std::size_t>(slash, 1)) : "",
                has_folder ? call_.path.substr(slash + 1) : call_.path));
            return;
        }
        default:
            return run_on_names();
    }
}

}  // namespace

void FsCall::run(FileTree& tree, FileCalls& calls) {
    try {
        Running running(*this, tree, calls);
        running.confine();
        running.run();
    } catch (const Failed& failed) {
        number = failed.error.as_result();
    } catch (const fs::FileError& error) {
        number = -error.code().value();
    } catch (const std::system_error& error) {
        const bool is_refused = error.code() == std::errc::permission_denied;
        number = is_refused ? refused : -error.code().value();
        text = error.what();
    } catch (const std::bad_alloc&) {
        number = Error(std::errc::not_enough_memory).as_result();
    }
}

}  // namespace gyre::script
