// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer's main where the compiler has none: runs a fuzz target once on every file
// of the folders or files given as arguments. An empty corpus is a failure, so that a target whose
// corpus moved away does not pass unseen. Single-threaded.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes);

namespace {

void replay(const std::filesystem::path& path) {
    // Printed before the run: a crash then names its input.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

int replay_all(const std::filesystem::path& path) {
    if (std::filesystem::is_regular_file(path)) {
        replay(path);
        return 1;
    }
    if (!std::filesystem::is_directory(path)) return 0;
    int input_count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (!entry.is_regular_file()) continue;
        replay(entry.path());
        ++input_count;
    }
    return input_count;
}

}  // namespace

int main(int argc, char** argv) {
    int input_count = 0;
    for (int i = 1; i < argc; ++i) input_count += replay_all(argv[i]);
    if (input_count == 0) {
        std::fprintf(stderr, "no corpus: put at least one input into %s\n",
                     argc > 1 ? argv[1] : "a folder and name it as the argument");
        return 1;
    }
    std::printf("%d inputs replayed\n", input_count);
    return 0;
}
