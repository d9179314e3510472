// SPDX-License-Identifier: Apache-2.0
// The machine: its processors, network interfaces, memory, load and running time.
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/text_file.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::uv {
namespace {

struct Processor {
    std::string model = "unknown";
    int megahertz = 0;
    uv_cpu_info_t times{};
};

// The lines "cpu0 ..." of /proc/stat. Times there are in ticks.
std::vector<Processor> read_processors(const std::string& stat) {
    const auto ticks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    const std::uint64_t unit = ticks == 0 ? 1 : 1000 / ticks;
    std::vector<Processor> found;
    std::istringstream lines(stat);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
        std::istringstream words(line);
        std::string name;
        std::uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0;
        words >> name >> user >> nice >> system >> idle >> waiting >> interrupts;
        Processor& processor = found.emplace_back();
        processor.times.cpu_times = {user * unit, nice * unit, system * unit, idle * unit,
                                     interrupts * unit};
    }
    return found;
}

// The models and speeds of /proc/cpuinfo, in the order of the processors.
void add_models(std::vector<Processor>& processors, const std::string& info) {
    std::size_t index = 0;
    bool is_first = true;
    std::istringstream lines(info);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("processor")) {
            index = is_first ? 0 : index + 1;
            is_first = false;
        }
        if (colon == std::string::npos || index >= processors.size()) continue;
        const std::string value = line.substr(colon + 2);
        if (line.starts_with("model name")) processors[index].model = value;
        if (line.starts_with("cpu MHz")) {
            processors[index].megahertz = static_cast<int>(std::strtod(value.c_str(), nullptr));
        }
    }
}

int publish(const std::vector<Processor>& processors, uv_cpu_info_t** infos, int* count) {
    std::size_t size = processors.size() * sizeof(uv_cpu_info_t);
    for (const Processor& processor : processors) size += processor.model.size() + 1;
    // One block with the texts at its end.
    auto* block = static_cast<char*>(allocate(size));
    if (block == nullptr) return UV_ENOMEM;
    auto* table = reinterpret_cast<uv_cpu_info_t*>(block);
    char* text = block + processors.size() * sizeof(uv_cpu_info_t);
    for (std::size_t i = 0; i < processors.size(); ++i) {
        const Processor& processor = processors[i];
        table[i] = processor.times;
        table[i].speed = processor.megahertz;
        table[i].model = text;
        std::memcpy(text, processor.model.c_str(), processor.model.size() + 1);
        text += processor.model.size() + 1;
    }
    *infos = table;
    *count = static_cast<int>(processors.size());
    return 0;
}

bool is_reported(const ifaddrs& entry) noexcept {
    const unsigned up = IFF_UP | IFF_RUNNING;
    return (entry.ifa_flags & up) == up && entry.ifa_addr != nullptr &&
           (entry.ifa_addr->sa_family == AF_INET || entry.ifa_addr->sa_family == AF_INET6);
}

void fill_interface(uv_interface_address_t& to, const ifaddrs& entry, const ifaddrs* all) noexcept {
    const std::size_t size =
        entry.ifa_addr->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::memcpy(&to.address, entry.ifa_addr, size);
    if (entry.ifa_netmask != nullptr) std::memcpy(&to.netmask, entry.ifa_netmask, size);
    to.is_internal = (entry.ifa_flags & IFF_LOOPBACK) != 0 ? 1 : 0;
    for (; all != nullptr; all = all->ifa_next) {
        if (all->ifa_addr == nullptr || all->ifa_addr->sa_family != AF_PACKET) continue;
        const std::string_view name(all->ifa_name);
        // An alias ("eth0:1") has the address of its interface.
        const std::string_view own(entry.ifa_name);
        if (!own.starts_with(name) || (own.size() > name.size() && own[name.size()] != ':')) {
            continue;
        }
        const auto* link = reinterpret_cast<const sockaddr_ll*>(all->ifa_addr);
        std::memcpy(to.phys_addr, link->sll_addr, sizeof to.phys_addr);
    }
}

int publish(const ifaddrs* all, uv_interface_address_t** addresses, int* count) noexcept {
    std::size_t size = 0;
    int found = 0;
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
        if (!is_reported(*entry)) continue;
        size += sizeof(uv_interface_address_t) + std::strlen(entry->ifa_name) + 1;
        ++found;
    }
    if (found == 0) return 0;
    auto* block = static_cast<char*>(allocate(size));
    if (block == nullptr) return UV_ENOMEM;
    std::memset(block, 0, size);
    auto* table = reinterpret_cast<uv_interface_address_t*>(block);
    char* text = block + static_cast<std::size_t>(found) * sizeof(uv_interface_address_t);
    *addresses = table;
    *count = found;
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
        if (!is_reported(*entry)) continue;
        const std::size_t length = std::strlen(entry->ifa_name) + 1;
        std::memcpy(text, entry->ifa_name, length);
        table->name = text;
        text += length;
        fill_interface(*table++, *entry, all);
    }
    return 0;
}

std::uint64_t memory_row(std::string_view key) {
    const auto text = read_text_file("/proc/meminfo");
    if (!text) return 0;
    return number_after(*text, key).value_or(0) * 1024;
}

// The folder of this process's control group with its memory controller, and the names of the
// files in it, which differ between the two versions of control groups.
struct MemoryGroup {
    std::string folder;
    bool is_second_version = false;

    [[nodiscard]] std::uint64_t limit() const {
        const char* hard = is_second_version ? "/memory.max" : "/memory.limit_in_bytes";
        const char* soft = is_second_version ? "/memory.high" : "/memory.soft_limit_in_bytes";
        return std::min(read_limit(folder + hard), read_limit(folder + soft));
    }
    [[nodiscard]] std::uint64_t usage() const {
        const char* file = is_second_version ? "/memory.current" : "/memory.usage_in_bytes";
        return read_number(folder + file).value_or(0);
    }

private:
    // "max", a missing file, and the largest multiple of a page mean that there is no limit.
    static std::uint64_t read_limit(const std::string& path) {
        const std::uint64_t number = read_number(path).value_or(UINT64_MAX);
        return number >= (UINT64_MAX >> 1u) / 4096 * 4096 ? UINT64_MAX : number;
    }
};

MemoryGroup memory_group() {
    MemoryGroup group;
    const std::string text = read_text_file("/proc/self/cgroup").value_or("");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("0::/")) {
            group = {"/sys/fs/cgroup" + line.substr(3), true};
        } else if (const auto place = line.find(":memory:"); place != std::string::npos) {
            group.folder = "/sys/fs/cgroup/memory";
            const std::string own = group.folder + line.substr(place + 8);
            if (::access(own.c_str(), F_OK) == 0) group.folder = own;
            group.is_second_version = false;
            break;
        }
    }
    return group;
}

void fill(uv_rusage_t& to, const rusage& from) noexcept {
    to.ru_utime = {from.ru_utime.tv_sec, from.ru_utime.tv_usec};
    to.ru_stime = {from.ru_stime.tv_sec, from.ru_stime.tv_usec};
    const auto number = [](long value) { return static_cast<std::uint64_t>(value); };
    to.ru_maxrss = number(from.ru_maxrss);
    to.ru_ixrss = number(from.ru_ixrss);
    to.ru_idrss = number(from.ru_idrss);
    to.ru_isrss = number(from.ru_isrss);
    to.ru_minflt = number(from.ru_minflt);
    to.ru_majflt = number(from.ru_majflt);
    to.ru_nswap = number(from.ru_nswap);
    to.ru_inblock = number(from.ru_inblock);
    to.ru_oublock = number(from.ru_oublock);
    to.ru_msgsnd = number(from.ru_msgsnd);
    to.ru_msgrcv = number(from.ru_msgrcv);
    to.ru_nsignals = number(from.ru_nsignals);
    to.ru_nvcsw = number(from.ru_nvcsw);
    to.ru_nivcsw = number(from.ru_nivcsw);
}

int usage_of(int who, uv_rusage_t* to) noexcept {
    rusage usage{};
    if (::getrusage(who, &usage) != 0) return -errno;
    fill(*to, usage);
    return 0;
}

}  // namespace
}  // namespace gyre::uv

unsigned int uv_available_parallelism(void) {
    return std::max(1u, static_cast<unsigned>(gyre::platform::usable_cores()));
}

int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
    *cpu_infos = nullptr;
    *count = 0;
    const auto stat = gyre::uv::read_text_file("/proc/stat");
    if (!stat) return UV_EIO;
    auto processors = gyre::uv::read_processors(*stat);
    gyre::uv::add_models(processors, gyre::uv::read_text_file("/proc/cpuinfo").value_or(""));
    return gyre::uv::publish(processors, cpu_infos, count);
}

void uv_free_cpu_info(uv_cpu_info_t* cpu_infos, int /*count*/) {
    gyre::uv::release(cpu_infos);
}

int uv_interface_addresses(uv_interface_address_t** addresses, int* count) {
    *addresses = nullptr;
    *count = 0;
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return -errno;
    const int status = gyre::uv::publish(all, addresses, count);
    ::freeifaddrs(all);
    return status;
}

void uv_free_interface_addresses(uv_interface_address_t* addresses, int /*count*/) {
    gyre::uv::release(addresses);
}

uint64_t uv_get_free_memory(void) {
    if (const auto available = gyre::uv::memory_row("MemAvailable:"); available != 0) {
        return available;
    }
    struct sysinfo info{};
    return ::sysinfo(&info) == 0 ? std::uint64_t{info.freeram} * info.mem_unit : 0;
}

uint64_t uv_get_total_memory(void) {
    if (const auto total = gyre::uv::memory_row("MemTotal:"); total != 0) return total;
    struct sysinfo info{};
    return ::sysinfo(&info) == 0 ? std::uint64_t{info.totalram} * info.mem_unit : 0;
}

// 0 without a limit of the control group or the process.
uint64_t uv_get_constrained_memory(void) {
    std::uint64_t least = gyre::uv::memory_group().limit();
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        least = std::min<std::uint64_t>(least, limit.rlim_cur);
    }
    return least == UINT64_MAX ? 0 : least;
}

uint64_t uv_get_available_memory(void) {
    const auto group = gyre::uv::memory_group();
    const std::uint64_t limit = group.limit();
    if (limit == UINT64_MAX || limit > uv_get_total_memory()) return uv_get_free_memory();
    const std::uint64_t used = group.usage();
    return limit > used ? limit - used : 0;
}

int uv_resident_set_memory(size_t* rss) {
    const auto text = gyre::uv::read_text_file("/proc/self/statm");
    if (!text) return UV_EIO;
    const auto pages = gyre::uv::number_after(*text, " ");
    if (!pages) return UV_EINVAL;
    *rss = *pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return 0;
}

int uv_getrusage(uv_rusage_t* rusage) {
    return gyre::uv::usage_of(RUSAGE_SELF, rusage);
}

int uv_getrusage_thread(uv_rusage_t* rusage) {
    return gyre::uv::usage_of(RUSAGE_THREAD, rusage);
}

void uv_loadavg(double avg[3]) {
    if (::getloadavg(avg, 3) != 3) avg[0] = avg[1] = avg[2] = 0;
}
