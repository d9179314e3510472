// SPDX-License-Identifier: Apache-2.0
#include "tests/job_order/program.hpp"

namespace gyre::job_order {
namespace {

std::string number(int value) {
    return std::to_string(value);
}

std::string text_of(const Action& action, const JobProgram& program) {
    const std::string body = std::string("c").append(number(action.body));
    const std::string job = "jobs[" + number(action.body) + "]";
    const std::string ms = number(action.number);
    switch (action.kind) {
        case Kind::tick:
            return "process.nextTick(" + body + ");";
        case Kind::microtask:
            return "queueMicrotask(" + body + ");";
        case Kind::then: {
            std::string text = "Promise.resolve()";
            for (int i = 1; i < action.number; ++i) text += ".then(() => {})";
            return text + ".then(" + body + ");";
        }
        case Kind::adopt:
            return "new Promise((resolve) => resolve(Promise.resolve())).then(" + body + ");";
        case Kind::immediate:
            return job + " = setImmediate(" + body + ");";
        case Kind::timeout:
            return job + " = setTimeout(" + body + ", " + ms + ");";
        case Kind::interval:
            return "runs[" + number(action.body) + "] = 0; " + job + " = setInterval(" + body +
                   ", " + ms + ");";
        case Kind::clear: {
            const bool is_immediate =
                program.bodies[static_cast<std::size_t>(action.body)].kind == Kind::immediate;
            return std::string(is_immediate ? "clearImmediate(" : "clearTimeout(") + job + ");";
        }
        case Kind::unref:
            return "if (" + job + ") " + job + ".unref();";
        case Kind::refresh: {
            const std::string count = "refreshes[" + number(action.body) + "]";
            return "if (" + job + "?.refresh && !" + job + "._destroyed && (" + count +
                   " || 0) < " + number(refresh_count_max) + ") { " + count + " = (" + count +
                   " || 0) + 1; " + job + ".refresh(); }";
        }
        case Kind::block:
            return "process.umask(" + ms + ");";
        case Kind::reject:
            return "promises[" + ms + "] = Promise.reject(" + ms + ");";
        case Kind::handle:
            return "if (promises[" + ms + "]) promises[" + ms + "].catch(() => {});";
        case Kind::main:
        case Kind::fail:
            break;
    }
    return {};
}

}  // namespace

std::string as_javascript(const JobProgram& program) {
    std::string text =
        "'use strict';\n"
        "const lines = [], jobs = {}, runs = {}, refreshes = {}, promises = {};\n"
        "process.on('uncaughtException', (error) => lines.push('E' + error.message));\n"
        "process.on('unhandledRejection', (reason) => lines.push('U' + reason));\n"
        "process.on('rejectionHandled', () => lines.push('H'));\n"
        "process.on('exit', () => {\n"
        "    lines.push('X');\n"
        "    require('fs').writeSync(1, lines.join(' ') + '\\n');\n"
        "});\n";
    if (program.before_exit != 0) {
        text += "process.once('beforeExit', () => c" + number(program.before_exit) + "());\n";
    }
    for (std::size_t i = 0; i < program.bodies.size(); ++i) {
        const int index = static_cast<int>(i);
        text +=
            "function c" + number(index) + "() {\n    lines.push('" + line_of_body(index) + "');\n";
        bool throws = false;
        if (program.bodies[i].kind == Kind::interval) {
            text += "    if (++runs[" + number(index) + "] === " + number(interval_runs) +
                    ") clearInterval(jobs[" + number(index) + "]);\n";
        }
        for (const Action& action : program.bodies[i].actions) {
            text += "    " + text_of(action, program) + "\n";
            throws = throws || action.kind == Kind::fail;
        }
        if (throws) text += "    throw new Error('" + number(index) + "');\n";
        text += "}\n";
    }
    return text + "c0();\n";
}

}  // namespace gyre::job_order
