// SPDX-License-Identifier: Apache-2.0
// The operating system, the machine and this process.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

using PutText = int (*)(char*, std::size_t*);

// What all functions have in common that copy a text.
void expect_text(PutText ask, const std::string& wanted) {
    char text[1024];
    std::size_t size = sizeof text;
    ASSERT_EQ(ask(text, &size), 0);
    EXPECT_EQ(std::string(text), wanted);
    EXPECT_EQ(size, wanted.size());
    size = wanted.size();
    EXPECT_EQ(ask(text, &size), UV_ENOBUFS);
    EXPECT_EQ(size, wanted.size() + 1);
    EXPECT_EQ(ask(nullptr, &size), UV_EINVAL);
    size = 0;
    EXPECT_EQ(ask(text, &size), UV_EINVAL);
}

TEST(UvOs, tells_folders) {
    const char* home = std::getenv("HOME");
    const std::string old_home = home == nullptr ? "" : home;
    ASSERT_EQ(uv_os_setenv("HOME", "/home/of/a/test"), 0);
    expect_text(uv_os_homedir, "/home/of/a/test");
    ASSERT_EQ(uv_os_unsetenv("HOME"), 0);
    uv_passwd_t user{};
    ASSERT_EQ(uv_os_get_passwd(&user), 0);
    expect_text(uv_os_homedir, user.homedir);
    uv_os_free_passwd(&user);
    if (home != nullptr) (void)uv_os_setenv("HOME", old_home.c_str());
    ASSERT_EQ(uv_os_setenv("TMPDIR", "/some/folder/"), 0);
    expect_text(uv_os_tmpdir, "/some/folder");
    ASSERT_EQ(uv_os_unsetenv("TMPDIR"), 0);
}

TEST(UvOs, has_an_environment) {
    ASSERT_EQ(uv_os_setenv("GYRE_UV_TEST", "a=b"), 0);
    EXPECT_EQ(uv_os_setenv(nullptr, "x"), UV_EINVAL);
    expect_text(
        [](char* text, std::size_t* size) { return uv_os_getenv("GYRE_UV_TEST", text, size); },
        "a=b");
    uv_env_item_t* items = nullptr;
    int count = 0;
    ASSERT_EQ(uv_os_environ(&items, &count), 0);
    bool is_there = false;
    for (int i = 0; i < count; ++i) {
        is_there = is_there || (std::string(items[i].name) == "GYRE_UV_TEST" &&
                                std::string(items[i].value) == "a=b");
    }
    EXPECT_TRUE(is_there);
    uv_os_free_environ(items, count);
    ASSERT_EQ(uv_os_unsetenv("GYRE_UV_TEST"), 0);
    char text[8];
    std::size_t size = sizeof text;
    EXPECT_EQ(uv_os_getenv("GYRE_UV_TEST", text, &size), UV_ENOENT);
}

TEST(UvOs, knows_users_and_groups) {
    uv_passwd_t user{};
    ASSERT_EQ(uv_os_get_passwd2(&user, 0), 0);
    EXPECT_STREQ(user.username, "root");
    EXPECT_EQ(user.uid, 0u);
    uv_os_free_passwd(&user);
    EXPECT_EQ(user.username, nullptr);
    EXPECT_EQ(uv_os_get_passwd2(&user, 4'000'000'000u), UV_ENOENT);
    EXPECT_EQ(uv_os_get_passwd(nullptr), UV_EINVAL);
    uv_group_t group{};
    ASSERT_EQ(uv_os_get_group(&group, 0), 0);
    EXPECT_STREQ(group.groupname, "root");
    uv_os_free_group(&group);
    EXPECT_EQ(uv_os_get_group(&group, 4'000'000'000u), UV_ENOENT);
}

TEST(UvOs, tells_names_numbers_and_priorities) {
    char host[256];
    ASSERT_EQ(::gethostname(host, sizeof host), 0);
    expect_text(uv_os_gethostname, host);
    uv_utsname_t names{};
    ASSERT_EQ(uv_os_uname(&names), 0);
    EXPECT_STREQ(names.sysname, "Linux");
    EXPECT_EQ(uv_os_uname(nullptr), UV_EINVAL);
    EXPECT_EQ(uv_os_getpid(), ::getpid());
    EXPECT_EQ(uv_os_getppid(), ::getppid());
    int priority = 100;
    ASSERT_EQ(uv_os_getpriority(0, &priority), 0);
    EXPECT_EQ(uv_os_setpriority(0, priority), 0);
    EXPECT_EQ(uv_os_setpriority(0, 20), UV_EINVAL);
    EXPECT_EQ(uv_os_getpriority(-1, &priority), UV_ESRCH);
}

TEST(UvMachine, has_processors_and_memory) {
    EXPECT_GE(uv_available_parallelism(), 1u);
    uv_cpu_info_t* infos = nullptr;
    int count = 0;
    ASSERT_EQ(uv_cpu_info(&infos, &count), 0);
    ASSERT_GT(count, 0);
    EXPECT_NE(infos[0].model, nullptr);
    EXPECT_GT(infos[0].cpu_times.user + infos[0].cpu_times.idle, 0u);
    uv_free_cpu_info(infos, count);
    EXPECT_GT(uv_get_total_memory(), uv_get_free_memory());
    EXPECT_GT(uv_get_available_memory(), 0u);
    const std::uint64_t limit = uv_get_constrained_memory();
    EXPECT_TRUE(limit == 0 || limit >= uv_get_available_memory());
    std::size_t resident = 0;
    ASSERT_EQ(uv_resident_set_memory(&resident), 0);
    EXPECT_GT(resident, 100'000u);
    double uptime = 0;
    ASSERT_EQ(uv_uptime(&uptime), 0);
    EXPECT_GT(uptime, 0);
    double load[3] = {-1, -1, -1};
    uv_loadavg(load);
    EXPECT_GE(load[2], 0);
}

TEST(UvUsage, is_of_the_process_or_the_thread) {
    uv_rusage_t process{};
    uv_rusage_t thread{};
    ASSERT_EQ(uv_getrusage(&process), 0);
    ASSERT_EQ(uv_getrusage_thread(&thread), 0);
    EXPECT_GT(process.ru_maxrss, 0u);
    EXPECT_GT(process.ru_minflt, 0u);
}

TEST(UvTime, is_monotonic_or_of_the_wall) {
    const std::uint64_t before = uv_hrtime();
    uv_sleep(2);
    EXPECT_GE(uv_hrtime() - before, 2'000'000u);
    uv_timespec64_t time{};
    ASSERT_EQ(uv_clock_gettime(UV_CLOCK_REALTIME, &time), 0);
    uv_timeval64_t same{};
    ASSERT_EQ(uv_gettimeofday(&same), 0);
    EXPECT_LE(same.tv_sec - time.tv_sec, 5);
    EXPECT_EQ(uv_clock_gettime(UV_CLOCK_MONOTONIC, nullptr), UV_EFAULT);
    EXPECT_EQ(uv_gettimeofday(nullptr), UV_EINVAL);
}

TEST(UvProcessInfo, tells_the_program_and_the_folder) {
    char text[4096];
    std::size_t size = sizeof text;
    ASSERT_EQ(uv_exepath(text, &size), 0);
    EXPECT_NE(std::string(text).find("test_uv"), std::string::npos);
    EXPECT_EQ(size, std::strlen(text));
    EXPECT_EQ(uv_exepath(nullptr, &size), UV_EINVAL);
    char* before = ::getcwd(nullptr, 0);
    ASSERT_EQ(uv_chdir("/usr"), 0);
    expect_text(uv_cwd, "/usr");
    EXPECT_EQ(uv_chdir("/no/such/folder"), UV_ENOENT);
    EXPECT_EQ(uv_chdir(before), 0);
    std::free(before);
}

TEST(UvProcessInfo, has_a_title_in_the_place_of_its_arguments) {
    char title[64];
    EXPECT_EQ(uv_get_process_title(title, sizeof title), UV_ENOBUFS);
    // As the system lays them out: one after the other.
    static char memory[] = "program\0first";
    char* arguments[] = {memory, memory + 8, nullptr};
    char** copies = uv_setup_args(2, arguments);
    EXPECT_STREQ(copies[1], "first");
    EXPECT_NE(copies[1], memory + 8);
    char name[16];
    uv_thread_t self = uv_thread_self();
    (void)uv_thread_getname(&self, name, sizeof name);
    ASSERT_EQ(uv_get_process_title(title, sizeof title), 0);
    EXPECT_STREQ(title, "program");
    ASSERT_EQ(uv_set_process_title("a title that is too long"), 0);
    ASSERT_EQ(uv_get_process_title(title, sizeof title), 0);
    EXPECT_STREQ(title, "a title that ");
    EXPECT_EQ(uv_get_process_title(title, 3), UV_ENOBUFS);
    EXPECT_EQ(uv_get_process_title(nullptr, 3), UV_EINVAL);
    (void)uv_thread_setname(name);
    uv_library_shutdown();
}

TEST(UvLibraries, are_opened_and_searched) {
    uv_lib_t library{};
    EXPECT_EQ(uv_dlopen("/no/such/library.so", &library), -1);
    EXPECT_NE(std::string(uv_dlerror(&library)).find("no/such"), std::string::npos);
    uv_dlclose(&library);
    ASSERT_EQ(uv_dlopen("libc.so.6", &library), 0);
    EXPECT_STREQ(uv_dlerror(&library), "no error");
    void* function = nullptr;
    EXPECT_EQ(uv_dlsym(&library, "getpid", &function), 0);
    EXPECT_NE(function, nullptr);
    EXPECT_EQ(uv_dlsym(&library, "no_such_function", &function), -1);
    uv_dlclose(&library);
}

TEST(UvDescriptors, are_made_in_pairs) {
    uv_file ends[2];
    ASSERT_EQ(uv_pipe(ends, UV_NONBLOCK_PIPE, 0), 0);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(uv_guess_handle(ends[0]), UV_NAMED_PIPE);
    ::close(ends[0]);
    ::close(ends[1]);
    uv_os_sock_t sockets[2];
    ASSERT_EQ(uv_socketpair(SOCK_STREAM, 0, sockets, 0, UV_NONBLOCK_PIPE), 0);
    EXPECT_EQ(::read(sockets[1], &byte, 1), -1);
    EXPECT_EQ(uv_guess_handle(sockets[1]), UV_NAMED_PIPE);
    ::close(sockets[0]);
    ::close(sockets[1]);
    EXPECT_LT(uv_socketpair(99, 0, sockets, 0, 0), 0);
    EXPECT_EQ(uv_guess_handle(-1), UV_UNKNOWN_HANDLE);
    EXPECT_EQ(uv_get_osfhandle(5), 5);
    EXPECT_EQ(uv_open_osfhandle(5), 5);
    EXPECT_EQ(uv_kill(::getpid(), 0), 0);
    EXPECT_EQ(uv_kill(::getpid(), 1000), UV_EINVAL);
    uv_disable_stdio_inheritance();
}

}  // namespace
}  // namespace gyre::uv::test
