// SPDX-License-Identifier: Apache-2.0
// LineReader: the lines that a person types, or that a pipe has. `read` blocks; it runs on a thread
// for blocking work, one call at a time. `interrupt` is for the loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gyre::cli {

struct Line {
    enum class Kind { text, too_long, interrupted, end };
    Kind kind = Kind::end;
    std::string text;  // without its end
};

class LineReader {
public:
    // The limit on a line. A longer one is dropped.
    static constexpr std::size_t line_bytes_max = std::size_t{1} << 20U;
    // The whole words that could stand at the end of the lines so far.
    using Complete = std::function<std::vector<std::string>(const std::string& text)>;

    virtual ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    [[nodiscard]] virtual Line read(const std::string& prompt) = 0;
    // Of a whole input, which may have several lines.
    virtual void remember(const std::string& /*input*/) {}
    // Ends the call of `read` that waits, or the next one.
    void interrupt() noexcept;

protected:
    LineReader();
    enum class Ready { input, interrupted };
    [[nodiscard]] Ready wait_for_input();

private:
    int wake_[2] = {-1, -1};  // a pipe: its reading and its writing end
};

// With editing, history and completion if standard input and output are a terminal and this build
// has libedit; otherwise the lines of standard input, without a prompt.
[[nodiscard]] std::unique_ptr<LineReader> make_line_reader(LineReader::Complete complete,
                                                           const char* history);
// Of libedit; null in a build without it.
[[nodiscard]] std::unique_ptr<LineReader> make_line_editor(LineReader::Complete complete,
                                                           const char* history);

}  // namespace gyre::cli
