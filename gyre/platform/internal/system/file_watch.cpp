// SPDX-License-Identifier: Apache-2.0
// The part of SystemFileTree for change events: inotify.
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>

#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_file_tree.hpp"

namespace gyre::platform {
namespace {

constexpr std::uint32_t watched_events = IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_DELETE |
                                         IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                                         IN_MOVE_SELF;

// Converts an event. False if it carries no new information.
bool tell(const inotify_event& event, RawChange& change) noexcept {
    using Kind = RawChange::Kind;
    const std::uint32_t mask = event.mask;
    change.is_folder = (mask & IN_ISDIR) != 0;
    change.move_id = event.cookie;
    change.watch_id = event.wd;
    if ((mask & IN_Q_OVERFLOW) != 0) {
        change.kind = Kind::lost;
    } else if ((mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) {
        change.kind = Kind::ended;
    } else if ((mask & IN_IGNORED) != 0) {
        change.kind = Kind::forgotten;
    } else if ((mask & IN_CREATE) != 0) {
        change.kind = Kind::created;
    } else if ((mask & IN_DELETE) != 0) {
        change.kind = Kind::removed;
    } else if ((mask & IN_MOVED_FROM) != 0) {
        change.kind = Kind::moved_from;
    } else if ((mask & IN_MOVED_TO) != 0) {
        change.kind = Kind::moved_to;
    } else if ((mask & IN_MODIFY) != 0) {
        change.kind = Kind::modified;
    } else if ((mask & IN_ATTRIB) != 0) {
        change.kind = Kind::attributes;
    } else {
        return false;
    }
    return true;
}

}  // namespace

Result<FileWatch> SystemFileTree::watch(const std::string& path) {
    if (!is_path(path)) return no_path();
    const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return last_error();
    const int id =
        without_interruption([&] { return ::inotify_add_watch(fd, path.c_str(), watched_events); });
    if (id >= 0) return FileWatch{fd, id};
    const int error = errno;
    ::close(fd);
    return std::unexpected(Error(static_cast<std::errc>(error)));
}

Result<std::int32_t> SystemFileTree::watch_also(Fd watched, const std::string& folder) {
    if (!is_path(folder)) return no_path();
    const int id = without_interruption([&] {
        return ::inotify_add_watch(watched, folder.c_str(),
                                   watched_events | IN_ONLYDIR | IN_DONT_FOLLOW);
    });
    if (id < 0) return last_error();
    return id;
}

void SystemFileTree::watch_no_more(Fd watched, std::int32_t watch_id) {
    // If the directory was removed meanwhile the watch is gone already, so errors are ignored.
    (void)::inotify_rm_watch(watched, watch_id);
}

void SystemFileTree::decode_changes(ConstBytes data, std::vector<RawChange>& into) {
    while (data.size() >= sizeof(inotify_event)) {
        inotify_event event{};
        std::memcpy(&event, data.data(), sizeof event);
        const std::size_t size = sizeof event + event.len;
        if (data.size() < size) return;  // Never happens: the system delivers whole events.
        RawChange change;
        if (tell(event, change)) {
            // The name is padded with NUL bytes.
            const std::string_view name = text_of(data.subspan(sizeof event, event.len));
            change.name = name.substr(0, name.find('\0'));
            into.push_back(std::move(change));
        }
        data = data.subspan(size);
    }
}

}  // namespace gyre::platform
