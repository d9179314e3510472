// SPDX-License-Identifier: Apache-2.0
// Threads and what they synchronize with.
#include <cstring>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

TEST(UvThread, runs_a_function_and_is_joined) {
    uv_thread_t thread{};
    int value = 0;
    const auto set = [](void* argument) { *static_cast<int*>(argument) = 7; };
    ASSERT_EQ(uv_thread_create(&thread, set, &value), 0);
    EXPECT_EQ(uv_thread_join(&thread), 0);
    EXPECT_EQ(value, 7);
    uv_thread_options_t options{};
    options.flags = UV_THREAD_HAS_STACK_SIZE;
    options.stack_size = 1 << 20;
    value = 0;
    ASSERT_EQ(uv_thread_create_ex(&thread, &options, set, &value), 0);
    EXPECT_EQ(uv_thread_join(&thread), 0);
    EXPECT_EQ(value, 7);
}

TEST(UvThread, can_be_left_to_end_alone) {
    uv_sem_t ended;
    ASSERT_EQ(uv_sem_init(&ended, 0), 0);
    uv_thread_t thread{};
    const auto post = [](void* argument) { uv_sem_post(static_cast<uv_sem_t*>(argument)); };
    ASSERT_EQ(uv_thread_create(&thread, post, &ended), 0);
    EXPECT_EQ(uv_thread_detach(&thread), 0);
    uv_sem_wait(&ended);
    uv_sem_destroy(&ended);
}

TEST(UvThread, knows_itself_its_name_and_its_cores) {
    uv_thread_t self = uv_thread_self();
    const uv_thread_t same = uv_thread_self();
    EXPECT_NE(uv_thread_equal(&self, &same), 0);
    char name[32];
    ASSERT_EQ(uv_thread_getname(&self, name, sizeof name), 0);
    const std::string before = name;
    EXPECT_EQ(uv_thread_setname("a name that is too long"), 0);
    ASSERT_EQ(uv_thread_getname(&self, name, sizeof name), 0);
    EXPECT_STREQ(name, "a name that is ");
    EXPECT_EQ(uv_thread_getname(&self, name, 3), 0);
    EXPECT_STREQ(name, "a ");
    EXPECT_EQ(uv_thread_setname(nullptr), UV_EINVAL);
    EXPECT_EQ(uv_thread_setname(before.c_str()), 0);

    const auto size = static_cast<std::size_t>(uv_cpumask_size());
    std::vector<char> mask(size);
    std::vector<char> old_mask(size);
    ASSERT_EQ(uv_thread_getaffinity(&self, mask.data(), size), 0);
    EXPECT_EQ(uv_thread_getaffinity(&self, mask.data(), size - 1), UV_EINVAL);
    EXPECT_EQ(uv_thread_setaffinity(&self, mask.data(), old_mask.data(), size), 0);
    EXPECT_EQ(mask, old_mask);
    const int core = uv_thread_getcpu();
    ASSERT_GE(core, 0);
    EXPECT_NE(mask[static_cast<std::size_t>(core)], 0);
}

TEST(UvThread, has_a_priority) {
    int priority = 100;
    EXPECT_EQ(uv_thread_getpriority(uv_thread_self(), &priority), 0);
    EXPECT_NE(priority, 100);
    EXPECT_EQ(uv_thread_getpriority(uv_thread_self(), nullptr), UV_EINVAL);
    EXPECT_EQ(uv_thread_setpriority(uv_thread_self(), 3), UV_EINVAL);
    const auto lower = [](void* told) {
        if (uv_thread_setpriority(uv_thread_self(), UV_THREAD_PRIORITY_LOWEST) != 0) return;
        (void)uv_thread_getpriority(uv_thread_self(), static_cast<int*>(told));
    };
    uv_thread_t thread{};
    int lowest = 0;
    ASSERT_EQ(uv_thread_create(&thread, lower, &lowest), 0);
    EXPECT_EQ(uv_thread_join(&thread), 0);
    EXPECT_EQ(lowest, 4);
}

TEST(UvMutex, excludes) {
    uv_mutex_t mutex;
    ASSERT_EQ(uv_mutex_init(&mutex), 0);
    uv_mutex_lock(&mutex);
    EXPECT_EQ(uv_mutex_trylock(&mutex), UV_EBUSY);
    uv_mutex_unlock(&mutex);
    EXPECT_EQ(uv_mutex_trylock(&mutex), 0);
    uv_mutex_unlock(&mutex);
    uv_mutex_destroy(&mutex);
    ASSERT_EQ(uv_mutex_init_recursive(&mutex), 0);
    uv_mutex_lock(&mutex);
    EXPECT_EQ(uv_mutex_trylock(&mutex), 0);
    uv_mutex_unlock(&mutex);
    uv_mutex_unlock(&mutex);
    uv_mutex_destroy(&mutex);
}

TEST(UvReadWriteLock, lets_many_read_or_one_write) {
    uv_rwlock_t lock;
    ASSERT_EQ(uv_rwlock_init(&lock), 0);
    uv_rwlock_rdlock(&lock);
    EXPECT_EQ(uv_rwlock_tryrdlock(&lock), 0);
    EXPECT_EQ(uv_rwlock_trywrlock(&lock), UV_EBUSY);
    uv_rwlock_rdunlock(&lock);
    uv_rwlock_rdunlock(&lock);
    uv_rwlock_wrlock(&lock);
    EXPECT_EQ(uv_rwlock_tryrdlock(&lock), UV_EBUSY);
    uv_rwlock_wrunlock(&lock);
    EXPECT_EQ(uv_rwlock_trywrlock(&lock), 0);
    uv_rwlock_wrunlock(&lock);
    uv_rwlock_destroy(&lock);
}

TEST(UvSemaphore, counts) {
    uv_sem_t semaphore;
    ASSERT_EQ(uv_sem_init(&semaphore, 1), 0);
    uv_sem_wait(&semaphore);
    EXPECT_EQ(uv_sem_trywait(&semaphore), UV_EAGAIN);
    uv_sem_post(&semaphore);
    EXPECT_EQ(uv_sem_trywait(&semaphore), 0);
    uv_sem_destroy(&semaphore);
}

struct Meeting {
    uv_mutex_t mutex;
    uv_cond_t changed;
    bool is_there = false;
};

TEST(UvCondition, wakes_and_times_out) {
    Meeting meeting;
    ASSERT_EQ(uv_mutex_init(&meeting.mutex), 0);
    ASSERT_EQ(uv_cond_init(&meeting.changed), 0);
    uv_mutex_lock(&meeting.mutex);
    EXPECT_EQ(uv_cond_timedwait(&meeting.changed, &meeting.mutex, 1'000'000), UV_ETIMEDOUT);
    const auto come = [](void* argument) {
        auto& place = *static_cast<Meeting*>(argument);
        uv_mutex_lock(&place.mutex);
        place.is_there = true;
        uv_cond_signal(&place.changed);
        uv_cond_broadcast(&place.changed);
        uv_mutex_unlock(&place.mutex);
    };
    uv_thread_t thread{};
    ASSERT_EQ(uv_thread_create(&thread, come, &meeting), 0);
    while (!meeting.is_there) uv_cond_wait(&meeting.changed, &meeting.mutex);
    uv_mutex_unlock(&meeting.mutex);
    EXPECT_EQ(uv_thread_join(&thread), 0);
    uv_cond_destroy(&meeting.changed);
    uv_mutex_destroy(&meeting.mutex);
}

TEST(UvBarrier, lets_all_go_and_tells_one) {
    uv_barrier_t barrier;
    EXPECT_EQ(uv_barrier_init(&barrier, 0), UV_EINVAL);
    ASSERT_EQ(uv_barrier_init(&barrier, 1), 0);
    EXPECT_GT(uv_barrier_wait(&barrier), 0);
    uv_barrier_destroy(&barrier);
}

int once_count = 0;

TEST(UvOnce, runs_once) {
    uv_once_t guard = UV_ONCE_INIT;
    uv_once(&guard, [] { ++once_count; });
    uv_once(&guard, [] { ++once_count; });
    EXPECT_EQ(once_count, 1);
}

TEST(UvKey, has_a_value_for_each_thread) {
    uv_key_t key;
    ASSERT_EQ(uv_key_create(&key), 0);
    EXPECT_EQ(uv_key_get(&key), nullptr);
    int value = 0;
    uv_key_set(&key, &value);
    EXPECT_EQ(uv_key_get(&key), &value);
    uv_key_delete(&key);
}

}  // namespace
}  // namespace gyre::uv::test
