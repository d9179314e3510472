// SPDX-License-Identifier: Apache-2.0
// Threads: their start and end, name, cores and priority.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

struct Start {
    uv_thread_cb entry;
    void* argument;
};

void* run_entry(void* start) {
    const std::unique_ptr<Start> owned(static_cast<Start*>(start));
    const Start copy = *owned;
    copy.entry(copy.argument);
    return nullptr;
}

// Whole pages, at least what a thread needs to start. 0: the limit of the process.
std::size_t stack_size_of(std::size_t wanted) noexcept {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (wanted == 0) {
        rlimit limit{};
        constexpr std::size_t fallback = std::size_t{2} << 20u;
        if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
            return fallback;
        }
        const std::size_t size = limit.rlim_cur - limit.rlim_cur % page;
        return size >= static_cast<std::size_t>(PTHREAD_STACK_MIN) ? size : fallback;
    }
    const std::size_t size = (wanted + page - 1) / page * page;
    return std::max(size, static_cast<std::size_t>(PTHREAD_STACK_MIN));
}

// The nice values of the five priorities, the lowest first.
constexpr int nice_of_priority[] = {4, 2, 0, -2, -4};

int set_priority_by_policy(pthread_t thread, int policy, sched_param param, int priority) noexcept {
    const int least = ::sched_get_priority_min(policy);
    const int most = ::sched_get_priority_max(policy);
    if (least == -1 || most == -1) return -errno;
    param.sched_priority = least + (most - least) * (priority + 2) / 4;
    return -::pthread_setschedparam(thread, policy, &param);
}

}  // namespace
}  // namespace gyre::uv

int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg) {
    uv_thread_options_t options{};
    options.flags = UV_THREAD_NO_FLAGS;
    return uv_thread_create_ex(tid, &options, entry, arg);
}

int uv_thread_create_ex(uv_thread_t* tid, const uv_thread_options_t* params, uv_thread_cb entry,
                        void* arg) {
    const std::size_t wanted =
        (params->flags & UV_THREAD_HAS_STACK_SIZE) != 0 ? params->stack_size : 0;
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) != 0) return UV_ENOMEM;
    ::pthread_attr_setstacksize(&attributes, gyre::uv::stack_size_of(wanted));
    auto* start = new (std::nothrow) gyre::uv::Start{entry, arg};
    if (start == nullptr) return UV_ENOMEM;
    const int status = ::pthread_create(tid, &attributes, gyre::uv::run_entry, start);
    ::pthread_attr_destroy(&attributes);
    if (status != 0) delete start;
    return -status;
}

uv_thread_t uv_thread_self(void) {
    return ::pthread_self();
}

int uv_thread_join(uv_thread_t* tid) {
    return -::pthread_join(*tid, nullptr);
}

int uv_thread_detach(uv_thread_t* tid) {
    return -::pthread_detach(*tid);
}

int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2) {
    return ::pthread_equal(*t1, *t2);
}

int uv_thread_setname(const char* name) {
    if (name == nullptr) return UV_EINVAL;
    char text[16];
    std::strncpy(text, name, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return -::pthread_setname_np(::pthread_self(), text);
}

int uv_thread_getname(uv_thread_t* tid, char* name, size_t size) {
    if (name == nullptr || size == 0) return UV_EINVAL;
    char text[16];
    if (const int status = ::pthread_getname_np(*tid, text, sizeof text); status != 0) {
        return -status;
    }
    std::strncpy(name, text, size - 1);
    name[size - 1] = '\0';
    return 0;
}

int uv_cpumask_size(void) {
    return CPU_SETSIZE;
}

int uv_thread_setaffinity(uv_thread_t* tid, char* cpumask, char* oldmask, size_t mask_size) {
    if (mask_size < CPU_SETSIZE) return UV_EINVAL;
    if (oldmask != nullptr) {
        if (const int status = uv_thread_getaffinity(tid, oldmask, mask_size); status < 0) {
            return status;
        }
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
        if (cpumask[i] != 0) CPU_SET(i, &set);
    }
    return -::pthread_setaffinity_np(*tid, sizeof set, &set);
}

int uv_thread_getaffinity(uv_thread_t* tid, char* cpumask, size_t mask_size) {
    if (mask_size < CPU_SETSIZE) return UV_EINVAL;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (const int status = ::pthread_getaffinity_np(*tid, sizeof set, &set); status != 0) {
        return -status;
    }
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) cpumask[i] = CPU_ISSET(i, &set) ? 1 : 0;
    return 0;
}

int uv_thread_getcpu(void) {
    const int core = ::sched_getcpu();
    return core < 0 ? -errno : core;
}

int uv_thread_getpriority(uv_thread_t tid, int* priority) {
    if (priority == nullptr) return UV_EINVAL;
    int policy = 0;
    sched_param param{};
    if (const int status = ::pthread_getschedparam(tid, &policy, &param); status != 0) {
        return -status;
    }
    *priority = param.sched_priority;
    if (policy != SCHED_OTHER || ::pthread_equal(tid, ::pthread_self()) == 0) return 0;
    // Of the default policy the priority is always 0: its threads differ by their nice value.
    errno = 0;
    const int nice_value = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
    if (nice_value == -1 && errno != 0) return -errno;
    *priority = nice_value;
    return 0;
}

int uv_thread_setpriority(uv_thread_t tid, int priority) {
    if (priority < UV_THREAD_PRIORITY_LOWEST || priority > UV_THREAD_PRIORITY_HIGHEST) {
        return UV_EINVAL;
    }
    int policy = 0;
    sched_param param{};
    if (const int status = ::pthread_getschedparam(tid, &policy, &param); status != 0) {
        return -status;
    }
    if (policy == SCHED_OTHER && ::pthread_equal(tid, ::pthread_self()) != 0) {
        const int nice_value = gyre::uv::nice_of_priority[priority - UV_THREAD_PRIORITY_LOWEST];
        const auto self = static_cast<id_t>(::gettid());
        return ::setpriority(PRIO_PROCESS, self, nice_value) == 0 ? 0 : -errno;
    }
    return gyre::uv::set_priority_by_policy(tid, policy, param, priority);
}
