// SPDX-License-Identifier: Apache-2.0
// Operations under failing system calls: each returns its result or the injected error, no
// descriptor stays open, and a replaced file has the old or the new content. tests/fs_fault runs
// this under strace, which fails every few calls with the error in GYRE_FAULT. Without it no
// operation may fail.
#include <array>
#include <cstring>

#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"

namespace gyre::fs {
namespace {

const std::string old_text(5000, 'a');
const std::string new_text(9000, 'b');

GYRE_ON_REAL_PLATFORMS(UnderFault);

// The injected error; 0: none is expected.
int expected_error() {
    const char* name = std::getenv("GYRE_FAULT");
    for (const auto& [each, number] : {std::pair{"ENOMEM", ENOMEM}, std::pair{"EMFILE", EMFILE},
                                       std::pair{"ENOSPC", ENOSPC}, std::pair{"EIO", EIO}}) {
        if (name != nullptr && std::strcmp(name, each) == 0) return number;
    }
    return 0;
}

int failed_count = 0;

// Whether the operation succeeded. It may fail with the injected error only.
template <class T>
Future<bool> attempt(Future<T> future) {
    const Result<T> result = co_await try_(std::move(future));
    if (!result) {
        ++failed_count;
        EXPECT_EQ(static_cast<int>(result.error().code()), expected_error())
            << result.error().message();
    }
    co_return result.has_value();
}

Future<int> count_all(std::string folder) {
    int count = 0;
    auto entries = walk(folder);
    while (auto entry = co_await entries.next()) ++count;
    co_return count;
}
Future<void> watch_shortly(std::string folder) {
    auto changes = co_await watch(folder);
    co_await write_file(join(folder, "seen"), "");
    (void)co_await changes.next();
}
Future<void> use_temporary(std::string folder) {
    TemporaryOptions here;
    here.folder = folder;
    TemporaryFile file = co_await temporary_file(here);
    co_await file.file.write(bytes_of("x"));
    co_await file.aclose();
}

Future<void> use_parts(std::string path) {
    const OpenOptions how{.write = true, .create = true};
    File file = co_await open(path, how);
    const std::array<ConstBytes, 2> out{bytes_of("ab"), bytes_of("cd")};
    EXPECT_EQ(co_await file.write_pieces_at(out, 0), 4u);
    std::array<std::byte, 8> buffer{};
    const std::array<Bytes, 2> in{Bytes(buffer).first(3), Bytes(buffer).subspan(3)};
    EXPECT_EQ(co_await file.read_pieces_at(in, 0), 4u);
    co_await file.aclose();
}

TEST_P(UnderFault, every_operation_gives_its_result_or_the_error) {
    failed_count = 0;
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        while (!co_await attempt(write_file(path, old_text))) {
        }
        const int round_count = std::getenv("GYRE_FAULT") != nullptr ? 20 : 5;
        for (int i = 0; i < round_count; ++i) {
            const std::string inner = at("inner");
            if (co_await attempt(replace(path, i % 2 == 0 ? new_text : old_text))) {
                EXPECT_EQ((co_await stat(path)).size_bytes, i % 2 == 0 ? 9000u : 5000u);
            }
            (void)co_await attempt(make_folders(join(inner, "deep")));
            (void)co_await attempt(watch_shortly(folder));
            (void)co_await attempt(use_temporary(folder));
            (void)co_await attempt(use_parts(at("parts")));
            (void)co_await attempt(count_all(folder));
            (void)co_await attempt(remove_tree(inner));
            const Result<std::string> text = co_await try_(read_file(path));
            if (!text) continue;
            EXPECT_TRUE(*text == old_text || *text == new_text) << text->size();
        }
    });
    const bool has_faults = expected_error() != 0;
    EXPECT_EQ(failed_count > 0, has_faults) << "of the calls that were to fail none has";
}

}  // namespace
}  // namespace gyre::fs
