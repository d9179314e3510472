// SPDX-License-Identifier: Apache-2.0
// uv.h, and what version 1.52 of the interface has beyond the header that is installed: compiled
// against 1.44 or later, the library exports the same functions.
#pragma once

#include <uv.h>

#include <cstdint>

#if UV_VERSION_HEX < 0x012d00  // 1.45
using uv_clock_id = enum { UV_CLOCK_MONOTONIC, UV_CLOCK_REALTIME };
struct uv_timespec64_t {
    std::int64_t tv_sec;
    std::int32_t tv_nsec;
};
struct uv_metrics_s {
    std::uint64_t loop_count;
    std::uint64_t events;
    std::uint64_t events_waiting;
    std::uint64_t* reserved[13];
};
using uv_metrics_t = uv_metrics_s;
struct uv_group_s {
    char* groupname;
    unsigned long gid;
    char** members;
};
using uv_group_t = uv_group_s;
#endif

#if UV_VERSION_HEX < 0x013000  // 1.48
enum {
    UV_THREAD_PRIORITY_HIGHEST = 2,
    UV_THREAD_PRIORITY_ABOVE_NORMAL = 1,
    UV_THREAD_PRIORITY_NORMAL = 0,
    UV_THREAD_PRIORITY_BELOW_NORMAL = -1,
    UV_THREAD_PRIORITY_LOWEST = -2,
};
#endif

#ifndef UV_FS_UTIME_NOW
#    include <cmath>
#    define UV_FS_UTIME_NOW INFINITY
#    define UV_FS_UTIME_OMIT NAN
#endif

// Values of enumerations that older headers lack.
namespace gyre::uv {

inline constexpr unsigned version_hex = 0x013401;
inline constexpr const char* version_text = "1.52.1";

inline constexpr unsigned tcp_reuse_port = 2;
inline constexpr unsigned udp_reuse_port = 64;
inline constexpr unsigned pipe_no_truncate = 1;
inline constexpr int tty_mode_raw_vt = 3;
inline constexpr int loop_use_io_uring_sqpoll = 2;

}  // namespace gyre::uv

// The functions that 1.44 lacks. A newer header declares them too, in the same way.
extern "C" {
UV_EXTERN int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts);
UV_EXTERN int uv_cpumask_size(void);
UV_EXTERN uint64_t uv_get_available_memory(void);
UV_EXTERN int uv_getrusage_thread(uv_rusage_t* rusage);
UV_EXTERN int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics);
UV_EXTERN void uv_os_free_group(uv_group_t* grp);
UV_EXTERN int uv_os_get_group(uv_group_t* grp, uv_uid_t gid);
UV_EXTERN int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid);
UV_EXTERN int uv_pipe_bind2(uv_pipe_t* handle, const char* name, size_t namelen,
                            unsigned int flags);
UV_EXTERN int uv_pipe_connect2(uv_connect_t* req, uv_pipe_t* handle, const char* name,
                               size_t namelen, unsigned int flags, uv_connect_cb cb);
UV_EXTERN int uv_tcp_keepalive_ex(uv_tcp_t* handle, int on, unsigned int idle, unsigned int intvl,
                                  unsigned int cnt);
UV_EXTERN int uv_thread_detach(uv_thread_t* tid);
UV_EXTERN int uv_thread_getaffinity(uv_thread_t* tid, char* cpumask, size_t mask_size);
UV_EXTERN int uv_thread_getcpu(void);
UV_EXTERN int uv_thread_getname(uv_thread_t* tid, char* name, size_t size);
UV_EXTERN int uv_thread_getpriority(uv_thread_t tid, int* priority);
UV_EXTERN int uv_thread_setaffinity(uv_thread_t* tid, char* cpumask, char* oldmask,
                                    size_t mask_size);
UV_EXTERN int uv_thread_setname(const char* name);
UV_EXTERN int uv_thread_setpriority(uv_thread_t tid, int priority);
UV_EXTERN int uv_udp_open_ex(uv_udp_t* handle, uv_os_sock_t sock, unsigned int flags);
UV_EXTERN int uv_udp_try_send2(uv_udp_t* handle, unsigned int count, uv_buf_t* bufs[],
                               unsigned int nbufs[], struct sockaddr* addrs[], unsigned int flags);
UV_EXTERN size_t uv_utf16_length_as_wtf8(const uint16_t* utf16, ssize_t utf16_len);
UV_EXTERN int uv_utf16_to_wtf8(const uint16_t* utf16, ssize_t utf16_len, char** wtf8_ptr,
                               size_t* wtf8_len_ptr);
UV_EXTERN ssize_t uv_wtf8_length_as_utf16(const char* wtf8);
UV_EXTERN void uv_wtf8_to_utf16(const char* wtf8, uint16_t* utf16, size_t utf16_len);
}
