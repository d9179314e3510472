// SPDX-License-Identifier: Apache-2.0
// Ops and their completions. A machine writes a file, reads it back, and lets a pool thread count
// its words. Each op names its predecessor as its cause, so that a trace shows the chain.
//
//     $ build/release/bin/examples/02_ops
//     opened
//     wrote 13 bytes
//     read 13 bytes
//     the pool counted 3 words
//     closed

#include <algorithm>
#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"

using namespace gyre;

class FileStory : public Machine {
public:
    explicit FileStory(const std::string& path)
        : Machine("file story"), open_(path, {.write = true, .create = true, .truncate = true}) {}

    void start() { submit(open_); }

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_completion()) {
            if (op->result() < 0) {
                std::printf("%s failed: %s\n", loop().name_of(*op), op->error().message().c_str());
            } else if (op == &open_) {
                std::puts("opened");
                write_.fd = read_.fd = close_.fd = open_.result();
                submit(write_, op->as_cause());
            } else if (op == &write_) {
                std::printf("wrote %d bytes\n", op->result());
                submit(read_, op->as_cause());
            } else if (op == &read_) {
                std::printf("read %d bytes\n", op->result());
                count_.text = text_of(buffer_).substr(0, static_cast<std::size_t>(op->result()));
                submit(count_, op->as_cause());
            } else if (op == &count_) {
                std::printf("the pool counted %d words\n", op->result());
                submit(close_, op->as_cause());
            } else {
                std::puts("closed");
            }
        }
    }

    // Runs on a thread of the pool: it may access the op only.
    struct CountWords : WorkOp {
        CountWords() : WorkOp(count) {}
        static std::int32_t count(WorkOp& op) noexcept {
            const std::string_view text = static_cast<CountWords&>(op).text;
            return 1 + static_cast<std::int32_t>(std::ranges::count(text, ' '));
        }
        std::string_view text;
    };

    std::array<std::byte, 64> buffer_{};
    OpenOp open_;
    WriteOp write_{-1, bytes_of("one two three"), 0};
    ReadOp read_{-1, buffer_, 0};
    CountWords count_;
    CloseOp close_{-1};
};

int main() {
    Program program;
    FileTree& files = *program.platform().environment()->file_tree();
    const std::string path = files.temporary_folder() + "/gyre_example_02.txt";
    FileStory story(path);
    Loop loop(program.platform(), story, program.loop_options());
    story.start();
    loop.run();
    (void)files.remove(path);
}
