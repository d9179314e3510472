// SPDX-License-Identifier: Apache-2.0
// The title of the process, which stands where its arguments were: uv_setup_args copies them
// elsewhere. Any thread may change the title.
#include <sys/prctl.h>

#include <cstring>
#include <mutex>
#include <string>

#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

struct Title {
    std::mutex mutex;
    char* place = nullptr;  // the first argument's old place
    std::size_t room = 0;
    std::size_t length = 0;
    void* arguments = nullptr;  // the copies
};

// Never destroyed: a thread may change the title while the process ends.
Title& title() {
    static auto* const only = new Title;
    return *only;
}

}  // namespace
}  // namespace gyre::uv

char** uv_setup_args(int argc, char** argv) {
    if (argc <= 0) return argv;
    auto& title = gyre::uv::title();
    const std::lock_guard lock(title.mutex);
    std::size_t size = 0;
    for (int i = 0; i < argc; ++i) size += std::strlen(argv[i]) + 1;
    const std::size_t pointers_size = static_cast<std::size_t>(argc + 1) * sizeof(char*);
    auto* block = static_cast<char*>(gyre::uv::allocate(pointers_size + size));
    if (block == nullptr) return argv;
    auto** copies = reinterpret_cast<char**>(block);
    char* text = block + pointers_size;
    for (int i = 0; i < argc; ++i) {
        const std::size_t length = std::strlen(argv[i]) + 1;
        std::memcpy(text, argv[i], length);
        copies[i] = text;
        text += length;
    }
    copies[argc] = nullptr;
    title.place = argv[0];
    title.length = std::strlen(argv[0]);
    title.room =
        static_cast<std::size_t>(argv[argc - 1] + std::strlen(argv[argc - 1]) + 1 - argv[0]);
    title.arguments = block;
    return copies;
}

int uv_set_process_title(const char* new_title) {
    auto& title = gyre::uv::title();
    const std::lock_guard lock(title.mutex);
    if (title.place == nullptr) return UV_ENOBUFS;
    const std::size_t length = std::min(std::strlen(new_title), title.room - 1);
    std::memcpy(title.place, new_title, length);
    std::memset(title.place + length, 0, title.room - length);
    title.length = length;
    ::prctl(PR_SET_NAME, title.place);
    return 0;
}

int uv_get_process_title(char* buffer, size_t size) {
    if (buffer == nullptr || size == 0) return UV_EINVAL;
    auto& title = gyre::uv::title();
    const std::lock_guard lock(title.mutex);
    if (title.place == nullptr || size <= title.length) return UV_ENOBUFS;
    std::memcpy(buffer, title.place, title.length);
    buffer[title.length] = '\0';
    return 0;
}
