// SPDX-License-Identifier: Apache-2.0
// uv_fs_event_*: changes of files and folders, as inotify reports them.
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/passive.hpp"
#include "compat/uv/internal/watcher.hpp"

namespace gyre::uv {
namespace {

class EventState final : public HandleState {
public:
    EventState(LoopState& loop, uv_fs_event_t* event) noexcept
        : HandleState(loop, as_handle(event)), passive(loop.phased, "fs_event"), event_(event) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return passive; }
    void on_close() noexcept override { (void)uv_fs_event_stop(event_); }

    Passive passive;

private:
    uv_fs_event_t* event_;
};

}  // namespace

// The inotify descriptor and its watcher.
class FolderWatches::Source final : public Watcher::Owner {
public:
    Source(FolderWatches& watches, LoopState& loop) noexcept
        : watches_(watches), watcher_(loop, *this) {}
    Watcher& watcher() noexcept { return watcher_; }

private:
    void on_events(Events /*events*/) noexcept override { watches_.read_events(); }
    void on_watch_failed(int /*error*/) noexcept override {}

    FolderWatches& watches_;
    Watcher watcher_;
};

FolderWatches::FolderWatches(LoopState& loop) : loop_(loop) {}

FolderWatches::~FolderWatches() = default;

int FolderWatches::open() noexcept {
    if (fd_ >= 0) return 0;
    fd_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd_ < 0) return -errno;
    source_ = new (std::nothrow) Source(*this, loop_);
    if (source_ == nullptr) {
        ::close(std::exchange(fd_, -1));
        return UV_ENOMEM;
    }
    source_->watcher().watch(fd_);
    return 0;
}

void FolderWatches::close() noexcept {
    if (fd_ < 0) return;
    Source* const source = std::exchange(source_, nullptr);
    (void)source->watcher().close([source](handle::Handle&) { delete source; });
    loop_.phased.sockets().close_now(std::exchange(fd_, -1));
}

int FolderWatches::renew_after_fork() noexcept {
    if (fd_ < 0) return 0;
    close();
    if (const int status = open(); status < 0) return status;
    const auto paths = std::move(paths_);
    paths_.clear();
    for (const auto& [number, entry] : paths) {
        for (uv_fs_event_t* handle : entry.handles) {
            if (const int status = add(handle, entry.path.c_str()); status < 0) return status;
        }
    }
    return 0;
}

int FolderWatches::add(uv_fs_event_t* handle, const char* path) {
    constexpr unsigned wanted = IN_ATTRIB | IN_CREATE | IN_MODIFY | IN_DELETE | IN_DELETE_SELF |
                                IN_MOVE_SELF | IN_MOVED_FROM | IN_MOVED_TO;
    const int number = ::inotify_add_watch(fd_, path, wanted);
    if (number < 0) return -errno;
    Path& entry = paths_[number];
    if (entry.handles.empty()) entry.path = path;
    entry.handles.push_back(handle);
    handle->wd = number;
    return 0;
}

void FolderWatches::remove(uv_fs_event_t* handle) noexcept {
    const auto found = paths_.find(handle->wd);
    handle->wd = -1;
    if (found == paths_.end()) return;
    std::erase(found->second.handles, handle);
    if (!found->second.handles.empty()) return;
    ::inotify_rm_watch(fd_, found->first);
    paths_.erase(found);
}

void FolderWatches::read_events() noexcept {
    alignas(inotify_event) char buffer[4096];
    while (fd_ >= 0) {
        const ssize_t size = ::read(fd_, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return;
        for (ssize_t at = 0; at < size;) {
            const auto& event = *reinterpret_cast<const inotify_event*>(buffer + at);
            report(event.wd, event.mask, event.len > 0 ? event.name : nullptr);
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
}

// A callback may stop and start any of the handles.
void FolderWatches::report(int number, unsigned mask, const char* name) noexcept {
    const auto found = paths_.find(number);
    if (found == paths_.end()) return;
    constexpr unsigned changes = IN_ATTRIB | IN_MODIFY;
    int events = 0;
    if ((mask & changes) != 0) events |= UV_CHANGE;
    if ((mask & ~changes) != 0) events |= UV_RENAME;
    const std::string& path = found->second.path;
    // Of a watched file itself: the last part of its path.
    const std::string own = path.substr(path.find_last_of('/') + 1);
    const std::string told = name == nullptr ? own : name;
    const std::vector<uv_fs_event_t*> handles = found->second.handles;
    for (uv_fs_event_t* handle : handles) {
        const auto present = paths_.find(number);
        if (present == paths_.end()) return;
        if (std::ranges::find(present->second.handles, handle) == present->second.handles.end()) {
            continue;
        }
        handle->cb(handle, told.c_str(), events, 0);
    }
}

}  // namespace gyre::uv

int uv_fs_event_init(uv_loop_t* loop, uv_fs_event_t* handle) {
    gyre::uv::init_fields(loop, handle, UV_FS_EVENT);
    handle->path = nullptr;
    handle->wd = -1;
    auto* state = new (std::nothrow) gyre::uv::EventState(gyre::uv::LoopState::of(loop), handle);
    return state == nullptr ? UV_ENOMEM : 0;
}

int uv_fs_event_start(uv_fs_event_t* handle, uv_fs_event_cb cb, const char* path,
                      unsigned int flags) {
    if (gyre::uv::is_elsewhere(handle->loop)) {
        gyre::uv::post(handle->loop, [=, copy = std::string(path)] {
            const int status = uv_fs_event_start(handle, cb, copy.c_str(), flags);
            if (status < 0) cb(handle, nullptr, 0, status);
        });
        return 0;
    }
    if (uv_is_active(gyre::uv::as_handle(handle)) != 0) return UV_EINVAL;
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    auto& loop = gyre::uv::LoopState::of(handle->loop);
    try {
        if (loop.folder_watches == nullptr) {
            loop.folder_watches = std::make_unique<gyre::uv::FolderWatches>(loop);
        }
        int status = loop.folder_watches->open();
        if (status == 0) status = loop.folder_watches->add(handle, path);
        if (status < 0) return status;
    } catch (const std::bad_alloc&) {
        return UV_ENOMEM;
    }
    handle->path = gyre::uv::copy_text(path);
    handle->cb = cb;
    gyre::uv::state_of<gyre::uv::EventState>(handle)->passive.set_active(true);
    return 0;
}

int uv_fs_event_stop(uv_fs_event_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_fs_event_stop(handle); })) return 0;
    auto* state = gyre::uv::state_of<gyre::uv::EventState>(handle);
    if (state == nullptr || !state->passive.is_active()) return 0;
    state->loop().folder_watches->remove(handle);
    gyre::uv::release(handle->path);
    handle->path = nullptr;
    state->passive.set_active(false);
    return 0;
}

int uv_fs_event_getpath(uv_fs_event_t* handle, char* buffer, size_t* size) {
    if (handle->path == nullptr || uv_is_active(gyre::uv::as_handle(handle)) == 0) {
        if (size != nullptr) *size = 0;
        return UV_EINVAL;
    }
    if (buffer == nullptr || size == nullptr) return UV_EINVAL;
    // Unlike others of its kind, this one tells the size for no room at all too.
    if (*size == 0) {
        *size = std::strlen(handle->path) + 1;
        return UV_ENOBUFS;
    }
    return gyre::uv::put_text(handle->path, buffer, size);
}
