// SPDX-License-Identifier: Apache-2.0
// SQL at the prompt of gyre sql.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/sql.hpp"
#include "gyre/app/run.hpp"
#include "gyre/db/statement_text.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::cli {
namespace {

constexpr std::array<const char*, 28> key_words = {
    "select", "from",   "where",  "insert", "into",     "values", "update",
    "set",    "delete", "create", "table",  "index",    "drop",   "alter",
    "begin",  "commit", "and",    "or",     "rollback", "order",  "group",
    "limit",  "join",   "left",   "null",   "explain",  "having", "returning"};

constexpr const char* sqlite_names =
    "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%' "
    "order by name";
constexpr const char* postgres_names =
    "select format('%I', table_name) from information_schema.tables "
    "where table_schema = any (current_schemas(false)) order by table_name";

// The line of the fault and a mark below it.
std::string report_of(const db::DbError& error) {
    std::string text = "error: " + error.message();
    if (!error.sqlstate().empty()) text += " [" + error.sqlstate() + "]";
    text += '\n';
    // In characters, of the statement; each line that is passed leaves less of them.
    std::string_view rest = error.statement();
    std::size_t left = error.position();
    while (left > 0) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        std::size_t at = 0;
        while (at < line.size() && left > 1) {
            ++at;
            while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80) ++at;
            --left;
        }
        if (left == 1) {
            const std::string before = printable(line.substr(0, at));
            text +=
                "  " + printable(line) + "\n  " + std::string(display_width(before), ' ') + "^\n";
            break;
        }
        if (line.size() == rest.size()) break;
        rest.remove_prefix(line.size() + 1);
        --left;
    }
    return text;
}

class SqlRepl final : public ReplLanguage {
public:
    SqlRepl(gyre::Program& program, const SqlOptions& options)
        : program_(program), session_(options), is_terminal_(::isatty(STDIN_FILENO) == 1) {}

    [[nodiscard]] std::string prompt() const override { return "sql> "; }
    [[nodiscard]] bool is_complete(const std::string& lines) override {
        if (lines.starts_with(':')) return true;
        std::string_view rest = lines;
        while (const std::size_t end = db::statement_end(rest, session_.is_postgres())) {
            rest.remove_prefix(end);
        }
        return db::is_blank_sql(rest, session_.is_postgres());
    }
    [[nodiscard]] std::vector<std::string> completions(const std::string& lines) override {
        const std::size_t begin = lines.find_last_of(" \t\n,();") + 1;
        const std::string word = lines.substr(begin);
        std::vector<std::string> found;
        const auto add = [&](const std::string& name) {
            if (!word.empty() && name.starts_with(word)) found.push_back(name);
        };
        for (const char* each : key_words) add(each);
        for (const std::string& each : names_) add(each);
        return found;
    }
    [[nodiscard]] std::string help() const override {
        return ":tables           the tables and views\n"
               ":format FORMAT    how rows are written: table, csv, json\n"
               "A statement ends with a semicolon; Ctrl-C cancels it in the database.\n";
    }
    [[nodiscard]] bool command(Prompt& prompt, std::string_view word,
                               const std::string& rest) override {
        if (word == "format") {
            const auto format = sql_format_of(rest);
            if (format) session_.set_format(*format);
            if (!format) prompt.report("the format is table, csv or json\n");
            return true;
        }
        if (word != "tables") return false;
        for (const std::string& name : names_) prompt.show(printable(name));
        return true;
    }
    [[nodiscard]] int run(Prompt& prompt, ReplTasks tasks) override {
        const auto main = [&](Scope& root) -> Future<int> {
            root.spawn(tasks.beside());
            const int exit_code = co_await answer_all(prompt);
            tasks.end();
            co_return exit_code;
        };
        return gyre::run(program_, main).exit_code();
    }
    void interrupt() override {
        if (running_ != nullptr) running_->cancel("Ctrl-C");
    }

private:
    using Work = Future<void> (SqlRepl::*)(std::string);

    struct Close {
        SqlSession& session;
        ~Close() { session.close(); }
    };

    [[nodiscard]] Future<int> answer_all(Prompt& prompt) {
        const Close close{session_};
        if (!co_await is_done(prompt, &SqlRepl::learn_names, {})) co_return 1;
        while (auto input = co_await prompt.next()) {
            const bool is_good = co_await is_done(prompt, &SqlRepl::answer, std::move(*input));
            if (!is_good && !is_terminal_) co_return 1;
        }
        co_return 0;
    }
    Future<void> learn_names(std::string /*unused*/) {
        if (!is_terminal_) co_return;
        names_ = co_await session_.list(session_.is_postgres() ? postgres_names : sqlite_names);
    }
    Future<void> answer(std::string text) {
        co_await session_.run(std::move(text));
        co_await learn_names({});
    }
    // In a task of its own, which Ctrl-C cancels. A failure there would end the program.
    static Future<void> work_alone(SqlRepl* self, Work work, std::string text) {
        try {
            co_await (self->*work)(std::move(text));
        } catch (const db::DbError& error) {
            self->failure_ = report_of(error);
        }
    }
    // Reports the failure; false if there is one.
    Future<bool> is_done(Prompt& prompt, Work work, std::string text) {
        failure_.clear();
        Scope& root = (co_await this_task()).executor().root();
        auto running = root.spawn(&SqlRepl::work_alone, this, work, std::move(text));
        running_ = &running;
        try {
            co_await running;
        } catch (const Cancelled&) {
            failure_ = "interrupted\n";
        }
        running_ = nullptr;
        if (!failure_.empty()) prompt.report(failure_);
        co_return failure_.empty();
    }

    gyre::Program& program_;
    SqlSession session_;
    const bool is_terminal_;
    std::vector<std::string> names_;  // of tables and views
    std::string failure_;
    TaskHandle<void>* running_ = nullptr;
};

}  // namespace

std::unique_ptr<ReplLanguage> make_sql_repl(gyre::Program& program, const SqlOptions& options) {
    return std::make_unique<SqlRepl>(program, options);
}

}  // namespace gyre::cli
