// SPDX-License-Identifier: Apache-2.0
// gyre sql: statements for a database, from the command line, a prompt or standard input.
#include "cli/sql.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/async_command.hpp"
#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/repl.hpp"
#include "cli/usage.hpp"
#include "gyre/app/run.hpp"

namespace gyre::cli {
namespace {

struct SqlCommand {
    SqlOptions options;
    std::string query;
    std::string format = "table";
    double timeout_s = 0;
};

// A cancel of the root scope, as of Ctrl-C, cancels the statement in the database.
ExitCode run_query(const SqlCommand& command) {
    gyre::Program program;
    AsyncCommand sql("gyre sql");
    const auto query = [&]() -> Future<int> {
        SqlSession session(command.options);
        co_await session.run(command.query);
        co_return 0;
    };
    return sql.end(gyre::run(program, [&] { return sql.run(query()); }).exit_code());
}

ExitCode run_sql(SqlCommand& command) {
    command.options.format = *sql_format_of(command.format);
    command.options.time_max = Duration(static_cast<Duration::rep>(command.timeout_s * 1e9));
    try {
        static_cast<void>(SqlSession(command.options));
    } catch (const db::DbError& error) {
        throw UsageError(error.what());
    }
    if (!command.query.empty()) return run_query(command);
    return static_cast<ExitCode>(run_repl("sql_history", [&](gyre::Program& program) {
        return make_sql_repl(program, command.options);
    }));
}

}  // namespace

void add_sql(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("sql", "Ask a database: PostgreSQL or SQLite");
    auto options = std::make_shared<SqlCommand>();
    command->add_option("URL", options->options.url, "postgres://... or sqlite:FILE")
        ->required()
        ->type_name("");
    command
        ->add_option("QUERY", options->query,
                     "Statements, separated by semicolons; default: a prompt, or standard input")
        ->type_name("");
    choose(
        *command->add_option("--format", options->format, "How rows are written; default: table"),
        sql_format_names());
    seconds(*command->add_option("--timeout", options->timeout_s,
                                 "Time for each statement; default: none"));
    command->callback([options, &exit_code] { exit_code = run_sql(*options); });
}

}  // namespace gyre::cli
