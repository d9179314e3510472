// SPDX-License-Identifier: Apache-2.0
// What the operating system knows of this process and its user: folders, environment, users and
// groups, names, priority.
#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "compat/uv/internal/memory.hpp"

extern char** environ;

namespace gyre::uv {
namespace {

// Calls one of the functions that want more room for an entry until it fits.
template <class Entry, class Ask>
int ask_entry(Entry& entry, std::vector<char>& room, Ask ask) {
    for (room.resize(2000);; room.resize(room.size() * 2)) {
        Entry* found = nullptr;
        int status = 0;
        do {
            status = ask(&entry, room.data(), room.size(), &found);
        } while (status == EINTR);
        if (status == ERANGE) continue;
        if (status != 0) return -status;
        return found == nullptr ? UV_ENOENT : 0;
    }
}

int passwd_of(uv_passwd_t* to, uid_t user) {
    if (to == nullptr) return UV_EINVAL;
    passwd entry{};
    std::vector<char> room;
    const int status =
        ask_entry(entry, room, [user](auto... args) { return ::getpwuid_r(user, args...); });
    if (status < 0) return status;
    // One block for the three texts: uv_os_free_passwd frees the first.
    const std::size_t name_size = std::strlen(entry.pw_name) + 1;
    const std::size_t home_size = std::strlen(entry.pw_dir) + 1;
    const std::size_t shell_size = std::strlen(entry.pw_shell) + 1;
    auto* text = static_cast<char*>(allocate(name_size + home_size + shell_size));
    if (text == nullptr) return UV_ENOMEM;
    to->username = text;
    to->homedir = text + name_size;
    to->shell = to->homedir + home_size;
    std::memcpy(to->username, entry.pw_name, name_size);
    std::memcpy(to->homedir, entry.pw_dir, home_size);
    std::memcpy(to->shell, entry.pw_shell, shell_size);
    to->uid = entry.pw_uid;
    to->gid = entry.pw_gid;
    return 0;
}

int copy_group(uv_group_t* to, const ::group& entry) noexcept {
    std::size_t count = 0;
    std::size_t size = std::strlen(entry.gr_name) + 1;
    for (; entry.gr_mem[count] != nullptr; ++count) size += std::strlen(entry.gr_mem[count]) + 1;
    const std::size_t pointers_size = (count + 1) * sizeof(char*);
    auto* block = static_cast<char*>(allocate(pointers_size + size));
    if (block == nullptr) return UV_ENOMEM;
    to->members = reinterpret_cast<char**>(block);
    char* text = block + pointers_size;
    const auto put = [&text](const char* from) {
        const std::size_t length = std::strlen(from) + 1;
        char* place = text;
        std::memcpy(place, from, length);
        text += length;
        return place;
    };
    for (std::size_t i = 0; i < count; ++i) to->members[i] = put(entry.gr_mem[i]);
    to->members[count] = nullptr;
    to->groupname = put(entry.gr_name);
    to->gid = entry.gr_gid;
    return 0;
}

template <std::size_t size>
void copy_to(char (&to)[size], const char* from) noexcept {
    std::snprintf(to, size, "%s", from);
}

}  // namespace
}  // namespace gyre::uv

int uv_os_homedir(char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    if (const char* home = std::getenv("HOME"); home != nullptr) {
        return gyre::uv::put_text(home, buffer, size);
    }
    uv_passwd_t user{};
    if (const int status = uv_os_get_passwd(&user); status < 0) return status;
    const int status = gyre::uv::put_text(user.homedir, buffer, size);
    uv_os_free_passwd(&user);
    return status;
}

int uv_os_tmpdir(char* buffer, size_t* size) {
    std::string_view folder = "/tmp";
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
        if (const char* value = std::getenv(name); value != nullptr) {
            folder = value;
            break;
        }
    }
    if (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    return gyre::uv::put_text(folder, buffer, size);
}

int uv_os_get_passwd(uv_passwd_t* pwd) {
    return gyre::uv::passwd_of(pwd, ::geteuid());
}

int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid) {
    return gyre::uv::passwd_of(pwd, uid);
}

void uv_os_free_passwd(uv_passwd_t* pwd) {
    if (pwd == nullptr) return;
    gyre::uv::release(pwd->username);
    pwd->username = nullptr;
    pwd->shell = nullptr;
    pwd->homedir = nullptr;
}

int uv_os_get_group(uv_group_t* grp, uv_uid_t gid) {
    if (grp == nullptr) return UV_EINVAL;
    ::group entry{};
    std::vector<char> room;
    const int status = gyre::uv::ask_entry(
        entry, room, [gid](auto... args) { return ::getgrgid_r(gid, args...); });
    return status < 0 ? status : gyre::uv::copy_group(grp, entry);
}

void uv_os_free_group(uv_group_t* grp) {
    if (grp == nullptr) return;
    gyre::uv::release(grp->members);
    grp->members = nullptr;
    grp->groupname = nullptr;
}

uv_pid_t uv_os_getpid(void) {
    return ::getpid();
}

uv_pid_t uv_os_getppid(void) {
    return ::getppid();
}

int uv_os_getpriority(uv_pid_t pid, int* priority) {
    if (priority == nullptr) return UV_EINVAL;
    errno = 0;
    const int value = ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
    if (value == -1 && errno != 0) return -errno;
    *priority = value;
    return 0;
}

int uv_os_setpriority(uv_pid_t pid, int priority) {
    if (priority < UV_PRIORITY_HIGHEST || priority > UV_PRIORITY_LOW) return UV_EINVAL;
    return ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), priority) == 0 ? 0 : -errno;
}

int uv_os_environ(uv_env_item_t** envitems, int* count) {
    *envitems = nullptr;
    *count = 0;
    std::size_t most = 0;
    while (environ != nullptr && environ[most] != nullptr) ++most;
    auto* items =
        static_cast<uv_env_item_t*>(gyre::uv::allocate((most + 1) * sizeof(uv_env_item_t)));
    if (items == nullptr) return UV_ENOMEM;
    int found = 0;
    for (std::size_t i = 0; i < most; ++i) {
        const char* entry = environ[i];
        const char* sign = std::strchr(entry, '=');
        if (sign == nullptr) continue;
        char* text = gyre::uv::copy_text(entry);
        if (text == nullptr) {
            uv_os_free_environ(items, found);
            return UV_ENOMEM;
        }
        text[sign - entry] = '\0';
        items[found].name = text;
        items[found].value = text + (sign - entry) + 1;
        ++found;
    }
    *envitems = items;
    *count = found;
    return 0;
}

void uv_os_free_environ(uv_env_item_t* envitems, int count) {
    for (int i = 0; i < count; ++i) gyre::uv::release(envitems[i].name);
    gyre::uv::release(envitems);
}

int uv_os_getenv(const char* name, char* buffer, size_t* size) {
    if (name == nullptr || buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    const char* value = std::getenv(name);
    return value == nullptr ? UV_ENOENT : gyre::uv::put_text(value, buffer, size);
}

int uv_os_setenv(const char* name, const char* value) {
    if (name == nullptr || value == nullptr) return UV_EINVAL;
    return ::setenv(name, value, 1) == 0 ? 0 : -errno;
}

int uv_os_unsetenv(const char* name) {
    if (name == nullptr) return UV_EINVAL;
    return ::unsetenv(name) == 0 ? 0 : -errno;
}

int uv_os_gethostname(char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    char name[UV_MAXHOSTNAMESIZE];
    if (::gethostname(name, sizeof name) != 0) return -errno;
    name[sizeof name - 1] = '\0';
    return gyre::uv::put_text(name, buffer, size);
}

int uv_os_uname(uv_utsname_t* buffer) {
    if (buffer == nullptr) return UV_EINVAL;
    utsname names{};
    if (::uname(&names) != 0) {
        std::memset(buffer, 0, sizeof *buffer);
        return -errno;
    }
    gyre::uv::copy_to(buffer->sysname, names.sysname);
    gyre::uv::copy_to(buffer->release, names.release);
    gyre::uv::copy_to(buffer->version, names.version);
    gyre::uv::copy_to(buffer->machine, names.machine);
    return 0;
}
