/* SPDX-License-Identifier: Apache-2.0 */
/* gy: loop, timer, idle, prepare, check, async and close as a C interface after libuv's. The caller
 * provides the memory of a handle, from its init to its close callback. Only the loop's thread may
 * call these functions, except gy_async_send. Times are milliseconds. */
#ifndef GY_H
#define GY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gy_loop_s gy_loop_t;
typedef struct gy_handle_s gy_handle_t;
typedef void (*gy_cb)(gy_handle_t* handle);

enum { GY_RUN_DEFAULT, GY_RUN_ONCE, GY_RUN_NOWAIT };

struct gy_loop_s {
    void* data;
    void* inside;
};

/* One struct for all kinds of handles; `inside` points to the handle of the actual kind. */
struct gy_handle_s {
    void* data;
    gy_loop_t* loop;
    gy_cb cb;
    gy_cb close_cb;
    void* inside;
};

/* Returns 0 or a negative error number, like the init, start and stop functions below. */
int gy_loop_init(gy_loop_t* loop);
int gy_loop_close(gy_loop_t* loop);
int gy_run(gy_loop_t* loop, int mode);
void gy_stop(gy_loop_t* loop);
int gy_loop_alive(const gy_loop_t* loop);
uint64_t gy_now(const gy_loop_t* loop);
void gy_update_time(gy_loop_t* loop);
int gy_backend_fd(const gy_loop_t* loop);
int gy_backend_timeout(gy_loop_t* loop);

int gy_timer_init(gy_loop_t* loop, gy_handle_t* timer);
int gy_timer_start(gy_handle_t* timer, gy_cb cb, uint64_t timeout, uint64_t repeat);
int gy_timer_stop(gy_handle_t* timer);
int gy_timer_again(gy_handle_t* timer);

int gy_idle_init(gy_loop_t* loop, gy_handle_t* idle);
int gy_idle_start(gy_handle_t* idle, gy_cb cb);
int gy_idle_stop(gy_handle_t* idle);
int gy_prepare_init(gy_loop_t* loop, gy_handle_t* prepare);
int gy_prepare_start(gy_handle_t* prepare, gy_cb cb);
int gy_prepare_stop(gy_handle_t* prepare);
int gy_check_init(gy_loop_t* loop, gy_handle_t* check);
int gy_check_start(gy_handle_t* check, gy_cb cb);
int gy_check_stop(gy_handle_t* check);

int gy_async_init(gy_loop_t* loop, gy_handle_t* async, gy_cb cb);
int gy_async_send(gy_handle_t* async);

void gy_close(gy_handle_t* handle, gy_cb close_cb);
int gy_is_active(const gy_handle_t* handle);
int gy_is_closing(const gy_handle_t* handle);
void gy_ref(gy_handle_t* handle);
void gy_unref(gy_handle_t* handle);
int gy_has_ref(const gy_handle_t* handle);

#ifdef __cplusplus
}
#endif

#endif
