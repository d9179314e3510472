// SPDX-License-Identifier: Apache-2.0
// The line editor of a terminal: libedit, with the history of earlier runs.
#include "cli/line_reader.hpp"

#if GYRE_HAS_EDIT
#    include <histedit.h>
#    include <unistd.h>

#    include <algorithm>
#    include <clocale>
#    include <cstdio>
#    include <cstdlib>
#    include <cwchar>
#    include <filesystem>
#    include <utility>

namespace gyre::cli {
namespace {

constexpr int history_count_max = 1000;
constexpr std::size_t shown_count_max = 200;

// In the folder for state of the user; empty if there is none.
std::string history_file(const char* name) {
    namespace fs = std::filesystem;
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder;
    if (state != nullptr && *state == '/') {
        folder = state;
    } else if (home != nullptr && *home == '/') {
        folder = fs::path(home) / ".local" / "state";
    } else {
        return {};
    }
    folder /= "gyre";
    std::error_code error;
    fs::create_directories(folder, error);
    return error ? std::string() : (folder / name).string();
}

bool is_word_part(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '_' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

class LineEditor final : public LineReader {
public:
    LineEditor(Complete complete, const char* history_name)
        : complete_(std::move(complete)),
          history_(history_init()),
          file_(history_file(history_name)) {
        std::setlocale(LC_CTYPE, "");
        editor_ = el_init("gyre", stdin, stdout, stderr);
        HistEvent event;
        history(history_, &event, H_SETSIZE, history_count_max);
        history(history_, &event, H_SETUNIQUE, 1);
        if (!file_.empty()) history(history_, &event, H_LOAD, file_.c_str());
        el_set(editor_, EL_CLIENTDATA, this);
        el_set(editor_, EL_PROMPT, &prompt_of);
        el_set(editor_, EL_EDITOR, "emacs");
        el_set(editor_, EL_SIGNAL, 0);
        el_set(editor_, EL_HIST, history, history_);
        el_set(editor_, EL_GETCFN, &next_character);
        // The wide form: the other one copies both texts and never frees them.
        el_wset(editor_, EL_ADDFN, L"gyre-complete", L"Complete a name", &complete_name);
        el_set(editor_, EL_BIND, "^I", "gyre-complete", nullptr);
        el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(editor_, nullptr);
    }
    ~LineEditor() override {
        HistEvent event;
        if (!file_.empty()) history(history_, &event, H_SAVE, file_.c_str());
        el_end(editor_);
        history_end(history_);
    }

    Line read(const std::string& prompt) override {
        prompt_ = prompt;
        // A further line of the same input.
        if (prompt_.starts_with(' ')) {
            before_ += last_ + "\n";
        } else {
            before_.clear();
        }
        is_interrupted_ = false;
        int count = 0;
        const char* text = el_gets(editor_, &count);
        if (is_interrupted_) {
            // What was typed is dropped.
            el_reset(editor_);
            std::fputs("^C\n", stdout);
            return {Line::Kind::interrupted, {}};
        }
        if (text == nullptr || count <= 0) {
            std::fputs("\n", stdout);
            return {};
        }
        last_.assign(text, static_cast<std::size_t>(count));
        while (last_.ends_with('\n') || last_.ends_with('\r')) last_.pop_back();
        return {Line::Kind::text, last_};
    }

    void remember(const std::string& input) override {
        HistEvent event;
        history(history_, &event, H_ENTER, input.c_str());
    }

private:
    static LineEditor& self(EditLine* editor) {
        void* data = nullptr;
        el_get(editor, EL_CLIENTDATA, &data);
        return *static_cast<LineEditor*>(data);
    }
    static char* prompt_of(EditLine* editor) { return self(editor).prompt_.data(); }

    // One character of the terminal, which may have several bytes.
    static int next_character(EditLine* editor, wchar_t* character) {
        LineEditor& own = self(editor);
        std::mbstate_t state{};
        for (;;) {
            if (own.wait_for_input() == Ready::interrupted) {
                own.is_interrupted_ = true;
                return -1;
            }
            char byte = 0;
            const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
            if (count == 0) return 0;
            if (count < 0) return -1;
            const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
            constexpr auto incomplete = static_cast<std::size_t>(-2);
            constexpr auto invalid = static_cast<std::size_t>(-1);
            if (length == incomplete) continue;
            if (length == invalid) *character = L'?';
            return 1;
        }
    }

    // Inserts what all candidates share; if that is nothing, shows them.
    static unsigned char complete_name(EditLine* editor, wint_t /*character*/) {
        LineEditor& own = self(editor);
        const LineInfo* info = el_line(editor);
        const std::string line(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
        std::size_t begin = line.size();
        while (begin > 0 && is_word_part(line[begin - 1])) --begin;
        const std::vector<std::string> names = own.complete_(own.before_ + line);
        if (names.empty()) return CC_ERROR;
        std::string shared = names.front();
        for (const std::string& name : names) {
            const auto differs =
                std::mismatch(shared.begin(), shared.end(), name.begin(), name.end());
            shared.erase(differs.first, shared.end());
        }
        const std::string typed = line.substr(begin);
        if (shared.size() > typed.size()) {
            el_insertstr(editor, shared.c_str() + typed.size());
            return CC_REFRESH;
        }
        if (names.size() == 1) return CC_NORM;
        std::fputs("\n", stdout);
        for (std::size_t i = 0; i < std::min(names.size(), shown_count_max); ++i) {
            std::printf("%s%s", names[i].c_str(), i % 6 == 5 ? "\n" : "  ");
        }
        std::fputs("\n", stdout);
        return CC_REDISPLAY;
    }

    const Complete complete_;
    EditLine* editor_ = nullptr;
    History* history_;
    const std::string file_;
    std::string prompt_;
    std::string before_;  // the lines of the input before this one
    std::string last_;
    bool is_interrupted_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_line_editor(LineReader::Complete complete, const char* history) {
    return std::make_unique<LineEditor>(std::move(complete), history);
}

}  // namespace gyre::cli

#else

namespace gyre::cli {

std::unique_ptr<LineReader> make_line_editor(LineReader::Complete /*complete*/,
                                             const char* /*history*/) {
    return nullptr;
}

}  // namespace gyre::cli

#endif
