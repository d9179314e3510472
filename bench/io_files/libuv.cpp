// SPDX-License-Identifier: Apache-2.0
// libuv's rows of the group io that read files, on the threads of its pool.
#include <fcntl.h>
#include <uv.h>

#include "bench/io_files/file_cases.hpp"

namespace gyre::bench {
namespace {

class Reader {
public:
    explicit Reader(const std::string& path) {
        uv_loop_init(&loop_);
        uv_fs_t request;
        fd_ = uv_fs_open(&loop_, &request, path.c_str(), O_RDONLY, 0, nullptr);
        uv_fs_req_cleanup(&request);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
        ::close(fd_);
        uv_loop_close(&loop_);
    }

    void read(ReadPlan& plan, const ReadBuffers& buffers) {
        std::vector<Slot> slots(buffers.count());
        for (std::size_t i = 0; i < slots.size(); ++i) {
            Slot& slot = slots[i];
            slot.reader = this;
            slot.plan = &plan;
            slot.memory = buffers[i];
            slot.request.data = &slot;
            slot.next();
        }
        uv_run(&loop_, UV_RUN_DEFAULT);
    }

private:
    struct Slot {
        Reader* reader;
        ReadPlan* plan;
        std::span<std::byte> memory;
        uv_fs_t request;

        void next() {
            if (!plan->has_more()) return;
            const uv_buf_t buffer = uv_buf_init(reinterpret_cast<char*>(memory.data()),
                                                static_cast<unsigned>(memory.size()));
            const auto offset = static_cast<std::int64_t>(plan->next_offset());
            uv_fs_read(&reader->loop_, &request, reader->fd_, &buffer, 1, offset,
                       [](uv_fs_t* done) {
                           auto& slot = *static_cast<Slot*>(done->data);
                           const auto size = static_cast<ssize_t>(slot.memory.size());
                           if (done->result != size) std::abort();
                           uv_fs_req_cleanup(done);
                           slot.next();
                       });
        }
    };

    uv_loop_t loop_;
    uv_file fd_ = -1;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{read_case_names(""), [](Run& run) { measure_reads<Reader>(run, ""); }}}});
}
