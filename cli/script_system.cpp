// SPDX-License-Identifier: Apache-2.0
#include "cli/script_system.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

extern char** environ;

namespace gyre::cli {
namespace {

namespace files = std::filesystem;

// A file that a script imports; a larger one is refused.
constexpr std::size_t file_bytes_max = std::size_t{256} << 20u;

// Empty for what is no address of IP.
std::string ip_text(const sockaddr* address) {
    if (address == nullptr) return {};
    char text[INET6_ADDRSTRLEN] = "";
    const void* bytes = nullptr;
    if (address->sa_family == AF_INET) {
        bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    } else if (address->sa_family == AF_INET6) {
        bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    }
    if (bytes == nullptr) return {};
    return ::inet_ntop(address->sa_family, bytes, text, sizeof(text)) == nullptr ? "" : text;
}

std::string hardware_address(const ifaddrs* all, const std::string& name) {
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_PACKET) continue;
        if (name != one->ifa_name) continue;
        const unsigned char* at = reinterpret_cast<const sockaddr_ll*>(one->ifa_addr)->sll_addr;
        char text[18] = "";
        std::snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", at[0], at[1], at[2],
                      at[3], at[4], at[5]);
        return text;
    }
    return "00:00:00:00:00:00";
}

std::string input_part() {
    char block[1U << 16U];
    const ssize_t count = ::read(0, block, sizeof(block));
    return count > 0 ? std::string(block, static_cast<std::size_t>(count)) : std::string();
}

}  // namespace

std::optional<std::string> ScriptSystem::read_file(const std::string& path) {
    if (kind_of(path) != script::FileKind::file) return std::nullopt;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (file == nullptr) return std::nullopt;
    std::string text;
    char block[1U << 16U];
    while (text.size() < file_bytes_max) {
        const std::size_t count = std::fread(block, 1, sizeof(block), file.get());
        if (count == 0) return text;
        text.append(block, count);
    }
    return std::nullopt;
}

script::FileKind ScriptSystem::kind_of(const std::string& path) {
    std::error_code error;
    const files::file_status status = files::status(path, error);
    if (files::is_directory(status)) return script::FileKind::directory;
    return files::exists(status) && !error ? script::FileKind::file : script::FileKind::none;
}

std::string ScriptSystem::real_path(const std::string& path) {
    std::error_code error;
    const files::path real = files::canonical(path, error);
    return error ? path : real.string();
}

std::string ScriptSystem::directory() {
    std::error_code error;
    return files::current_path(error).string();
}

bool ScriptSystem::change_directory(const std::string& path) {
    std::error_code error;
    files::current_path(path, error);
    return !error;
}

void ScriptSystem::write(int stream, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(stream == 2 ? 2 : 1, text.data(), text.size());
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            if (stream == 1) output_failure_ = std::strerror(errno);
            return;
        }
        if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
}

bool ScriptSystem::is_terminal(int stream) {
    return isatty(stream) != 0;
}

// Shared with the thread that reads, which may outlive the system.
struct ScriptSystem::Input {
    std::mutex mutex;
    bool is_wanted = true;
};

void ScriptSystem::abandon_input() {
    if (input_ == nullptr) return;
    const std::lock_guard lock(input_->mutex);
    input_->is_wanted = false;
}

void ScriptSystem::read_input(std::function<void(std::string)> done) {
    if (input_ == nullptr) input_ = std::make_shared<Input>();
    std::thread([input = input_, pass_on = std::move(done)] {
        std::string part = input_part();
        const std::lock_guard lock(input->mutex);
        if (input->is_wanted) pass_on(std::move(part));
    }).detach();
}

std::string ScriptSystem::read_input_now() {
    return input_part();
}

std::string ScriptSystem::read_all_input() {
    std::string text;
    for (std::string part = input_part(); !part.empty(); part = input_part()) text += part;
    return text;
}

bool ScriptSystem::fill_random(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = getrandom(bytes.data(), std::min<std::size_t>(bytes.size(), 256), 0);
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

script::System::Variables ScriptSystem::environment() {
    Variables made;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string_view entry(*at);
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        made.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return made;
}

std::string ScriptSystem::program_path() {
    return real_path("/proc/self/exe");
}

std::string ScriptSystem::host_name() {
    utsname names{};
    return uname(&names) == 0 ? names.nodename : "localhost";
}

std::string ScriptSystem::release() {
    utsname names{};
    return uname(&names) == 0 ? names.release : "";
}

int ScriptSystem::process_id() {
    return getpid();
}

int ScriptSystem::send_signal(int process, int signal) {
    return ::kill(process, signal) == 0 ? 0 : errno;
}

int ScriptSystem::set_priority(int process, int priority) {
    return ::setpriority(PRIO_PROCESS, static_cast<id_t>(process), priority) == 0 ? 0 : errno;
}

std::vector<script::NetworkInterface> ScriptSystem::network_interfaces() {
    std::vector<script::NetworkInterface> made;
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return made;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        constexpr unsigned active = IFF_UP | IFF_RUNNING;
        if ((one->ifa_flags & active) != active || one->ifa_addr == nullptr) continue;
        script::NetworkInterface row;
        row.address = ip_text(one->ifa_addr);
        if (row.address.empty()) continue;
        row.name = one->ifa_name;
        row.netmask = ip_text(one->ifa_netmask);
        row.hardware_address = hardware_address(all, row.name);
        row.is_internal = (one->ifa_flags & IFF_LOOPBACK) != 0;
        if (one->ifa_addr->sa_family == AF_INET6) {
            row.scope = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_scope_id;
        }
        made.push_back(std::move(row));
    }
    return made;
}

unsigned ScriptSystem::core_count() {
    return std::max(1u, std::thread::hardware_concurrency());
}

std::size_t ScriptSystem::resident_bytes() {
    const auto text = read_file("/proc/self/statm");
    unsigned long pages = 0;
    if (!text || std::sscanf(text->c_str(), "%*u %lu", &pages) != 1) return 0;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace gyre::cli
