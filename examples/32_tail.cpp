// SPDX-License-Identifier: Apache-2.0
// `tail -f`: prints the lines of a file as they are written, also after log rotation. It writes its
// own log, so that there is something to follow.
//
//     $ build/release/bin/examples/32_tail
//     one
//     two
//     (a new file)
//     three
//     end

// [head]
#include <array>
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
// [/head]

// [tail]
// What was written since the last time.
Future<std::string> read_on(fs::File& file) {
    std::string text;
    std::array<std::byte, 4096> buffer;
    while (const std::size_t count = co_await file.read(buffer)) {
        text += text_of(ConstBytes(buffer).first(count));
    }
    co_return text;
}

Future<void> tail(std::string path, Event& follows) {
    // Before the first read, so that no change is missed.
    auto changes = co_await fs::watch(fs::folder_of(path));
    fs::File file = co_await fs::open(path);
    follows.set();
    for (;;) {
        const std::string text = co_await read_on(file);
        std::fputs(text.c_str(), stdout);
        if (text.ends_with("end\n")) co_return;
        const auto change = co_await changes.next();
        if (change->path != path || change->kind != fs::FileChange::Kind::created) continue;
        std::puts("(a new file)");
        file = co_await fs::open(path);
    }
}
// [/tail]

Future<void> write_log(std::string path) {
    co_await fs::append_file(path, "two\n");
    co_await fs::rename(path, path + ".1");
    co_await fs::append_file(path, "three\nend\n");
}

Future<void> app() {
    fs::TemporaryFolder folder = co_await fs::temporary_folder();
    const std::string path = fs::join(folder.path(), "log");
    co_await fs::write_file(path, "one\n");
    Event follows;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&] { return tail(path, follows); });
        co_await follows.wait();
        co_await write_log(path);
    });
    co_await folder.aclose();
}

int main() {
    return gyre::run(app);
}
