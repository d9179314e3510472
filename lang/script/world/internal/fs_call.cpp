// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/fs_call.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "gyre/fs/confined.hpp"
#include "gyre/fs/file.hpp"
#include "lang/script/world/internal/fs_run.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t entry_count_max = 1'000'000;
constexpr std::size_t removed_at_once = 10'000;

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

}  // namespace

// A link is judged by the place that it would lead to.
void FsRun::confine() {
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

// The first folder that was made is the text, as mkdir tells it.
void FsRun::make_folders() {
    const auto mode = static_cast<std::uint32_t>(call_.x);
    if (call_.y != 1) return fs_checked(tree_.make_folder(call_.path, mode));
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
            throw FsFailed{found && !is_last ? Error(std::errc::not_a_directory) : made.error()};
        }
        break;
    }
    for (std::size_t i = missing.size(); i > 0; --i) {
        fs_checked(tree_.make_folder(missing[i - 1], mode));
        if (call_.text.empty()) call_.text = missing[i - 1];
    }
}

char FsRun::letter_of(const FolderEntry& entry) {
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
void FsRun::list() {
    for (const FolderEntry& entry : fs_checked(tree_.list(call_.path, entry_count_max))) {
        call_.text += letter_of(entry);
        call_.text += entry.name;
        call_.text += '\0';
    }
}

void FsRun::remove_tree() {
    while (!fs_checked(tree_.remove_some(call_.path, removed_at_once))) continue;
}

void FsRun::run_on_open() {
    switch (call_.verb) {
        case FsVerb::read:
            return read();
        case FsVerb::write:
            return write();
        case FsVerb::open_stat:
            call_.text = text_of(fs_checked(calls_.details_of_open(file().fd)));
            return;
        case FsVerb::open_chmod:
            return fs_checked(tree_.set_mode(file().fd, static_cast<std::uint32_t>(call_.y)));
        case FsVerb::open_chown:
            return fs_checked(calls_.set_owner_of_open(
                file().fd,
                {static_cast<std::uint32_t>(call_.y), static_cast<std::uint32_t>(call_.z)}));
        case FsVerb::open_utimes:
            return fs_checked(
                calls_.set_times_of_open(file().fd, {ns_of(call_.y), ns_of(call_.z)}));
        case FsVerb::resize:
            return fs_checked(tree_.resize(file().fd, static_cast<std::uint64_t>(call_.y)));
        case FsVerb::sync:
            return fs_checked(calls_.sync(file().fd));
        default:
            static_cast<void>(file());  // close: the last user does it
    }
}

void FsRun::run_on_names() {
    const std::string& path = call_.path;
    const auto mode = static_cast<std::uint32_t>(call_.x);
    switch (call_.verb) {
        case FsVerb::open:
            call_.opened = open(static_cast<unsigned>(call_.x), call_.y);
            call_.number = call_.opened->fd;
            return;
        case FsVerb::stat:
            call_.text = text_of(fs_checked(calls_.details(path, links(call_.x))));
            return;
        case FsVerb::access:
            return fs_checked(calls_.check_access(path, mode));
        case FsVerb::chmod:
            return fs_checked(calls_.set_mode(path, mode));
        case FsVerb::chown:
            return fs_checked(calls_.set_owner(path, {mode, static_cast<std::uint32_t>(call_.y)},
                                               links(call_.z)));
        case FsVerb::utimes:
            return fs_checked(
                calls_.set_times(path, {ns_of(call_.x), ns_of(call_.y)}, links(call_.z)));
        case FsVerb::mkdir:
            return make_folders();
        case FsVerb::rmdir:
            return fs_checked(calls_.remove_folder(path));
        case FsVerb::unlink:
            return fs_checked(calls_.remove_file(path));
        case FsVerb::rename:
            return fs_checked(tree_.rename(path, call_.other));
        case FsVerb::copy:
            return copy();
        case FsVerb::symlink:
            return fs_checked(tree_.symbolic_link(call_.other, path));
        case FsVerb::link:
            return fs_checked(tree_.link(path, call_.other));
        case FsVerb::readlink:
            call_.text = fs_checked(tree_.read_link(path));
            return;
        case FsVerb::realpath:
            call_.text = fs_checked(tree_.real_path(path));
            return;
        case FsVerb::readdir:
            return list();
        case FsVerb::remove_tree:
            return remove_tree();
        default:
            throw FsFailed{Error(std::errc::function_not_supported)};
    }
}

void FsRun::run() {
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
            call_.text = fs_checked(tree_.make_unique_folder(
                has_folder ? call_.path.substr(0, std::max<std::size_t>(slash, 1)) : "",
                has_folder ? call_.path.substr(slash + 1) : call_.path));
            return;
        }
        default:
            return run_on_names();
    }
}

void FsCall::run(FileTree& tree, FileCalls& calls) {
    try {
        FsRun call(*this, tree, calls);
        call.confine();
        call.run();
    } catch (const FsFailed& failed) {
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
