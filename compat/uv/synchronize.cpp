// SPDX-License-Identifier: Apache-2.0
// Mutexes, read-write locks, semaphores, conditions, barriers, once, and values of a thread. An
// error that only a fault of the program can cause ends the process, as the interface wants it.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "compat/uv/internal/newer.hpp"

namespace {

void require(int status) noexcept {
    if (status != 0) std::abort();
}

// Of a try: 0, or busy.
int tried(int status) noexcept {
    if (status == 0) return 0;
    if (status != EBUSY && status != EAGAIN) std::abort();
    return UV_EBUSY;
}

}  // namespace

int uv_mutex_init(uv_mutex_t* handle) {
    return -::pthread_mutex_init(handle, nullptr);
}

int uv_mutex_init_recursive(uv_mutex_t* handle) {
    pthread_mutexattr_t attributes;
    require(::pthread_mutexattr_init(&attributes));
    require(::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
    const int status = ::pthread_mutex_init(handle, &attributes);
    require(::pthread_mutexattr_destroy(&attributes));
    return -status;
}

void uv_mutex_destroy(uv_mutex_t* handle) {
    require(::pthread_mutex_destroy(handle));
}

void uv_mutex_lock(uv_mutex_t* handle) {
    require(::pthread_mutex_lock(handle));
}

int uv_mutex_trylock(uv_mutex_t* handle) {
    return tried(::pthread_mutex_trylock(handle));
}

void uv_mutex_unlock(uv_mutex_t* handle) {
    require(::pthread_mutex_unlock(handle));
}

int uv_rwlock_init(uv_rwlock_t* rwlock) {
    return -::pthread_rwlock_init(rwlock, nullptr);
}

void uv_rwlock_destroy(uv_rwlock_t* rwlock) {
    require(::pthread_rwlock_destroy(rwlock));
}

void uv_rwlock_rdlock(uv_rwlock_t* rwlock) {
    require(::pthread_rwlock_rdlock(rwlock));
}

int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock) {
    return tried(::pthread_rwlock_tryrdlock(rwlock));
}

void uv_rwlock_rdunlock(uv_rwlock_t* rwlock) {
    require(::pthread_rwlock_unlock(rwlock));
}

void uv_rwlock_wrlock(uv_rwlock_t* rwlock) {
    require(::pthread_rwlock_wrlock(rwlock));
}

int uv_rwlock_trywrlock(uv_rwlock_t* rwlock) {
    return tried(::pthread_rwlock_trywrlock(rwlock));
}

void uv_rwlock_wrunlock(uv_rwlock_t* rwlock) {
    require(::pthread_rwlock_unlock(rwlock));
}

int uv_sem_init(uv_sem_t* sem, unsigned int value) {
    return ::sem_init(sem, 0, value) == 0 ? 0 : -errno;
}

void uv_sem_destroy(uv_sem_t* sem) {
    require(::sem_destroy(sem));
}

void uv_sem_post(uv_sem_t* sem) {
    require(::sem_post(sem));
}

void uv_sem_wait(uv_sem_t* sem) {
    while (::sem_wait(sem) != 0) {
        if (errno != EINTR) std::abort();
    }
}

int uv_sem_trywait(uv_sem_t* sem) {
    while (::sem_trywait(sem) != 0) {
        if (errno == EAGAIN) return UV_EAGAIN;
        if (errno != EINTR) std::abort();
    }
    return 0;
}

int uv_cond_init(uv_cond_t* cond) {
    pthread_condattr_t attributes;
    if (const int status = ::pthread_condattr_init(&attributes); status != 0) return -status;
    int status = ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (status == 0) status = ::pthread_cond_init(cond, &attributes);
    require(::pthread_condattr_destroy(&attributes));
    return -status;
}

void uv_cond_destroy(uv_cond_t* cond) {
    require(::pthread_cond_destroy(cond));
}

void uv_cond_signal(uv_cond_t* cond) {
    require(::pthread_cond_signal(cond));
}

void uv_cond_broadcast(uv_cond_t* cond) {
    require(::pthread_cond_broadcast(cond));
}

void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex) {
    require(::pthread_cond_wait(cond, mutex));
}

int uv_cond_timedwait(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t timeout) {
    constexpr std::uint64_t second = 1'000'000'000;
    const std::uint64_t now = uv_hrtime();
    const std::uint64_t until = timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
    timespec deadline{};
    deadline.tv_sec = static_cast<time_t>(until / second);
    deadline.tv_nsec = static_cast<long>(until % second);
    const int status = ::pthread_cond_timedwait(cond, mutex, &deadline);
    if (status == ETIMEDOUT) return UV_ETIMEDOUT;
    require(status);
    return 0;
}

int uv_barrier_init(uv_barrier_t* barrier, unsigned int count) {
    return -::pthread_barrier_init(barrier, nullptr, count);
}

void uv_barrier_destroy(uv_barrier_t* barrier) {
    require(::pthread_barrier_destroy(barrier));
}

int uv_barrier_wait(uv_barrier_t* barrier) {
    const int status = ::pthread_barrier_wait(barrier);
    if (status == PTHREAD_BARRIER_SERIAL_THREAD) return 1;
    require(status);
    return 0;
}

void uv_once(uv_once_t* guard, void (*callback)(void)) {
    require(::pthread_once(guard, callback));
}

int uv_key_create(uv_key_t* key) {
    return -::pthread_key_create(key, nullptr);
}

void uv_key_delete(uv_key_t* key) {
    require(::pthread_key_delete(*key));
}

void* uv_key_get(uv_key_t* key) {
    return ::pthread_getspecific(*key);
}

void uv_key_set(uv_key_t* key, void* value) {
    require(::pthread_setspecific(*key, value));
}
