// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/run_observer.hpp"

namespace gyre::effect {

std::string to_line(const RunEvent& event) {
    std::string line = "run " + std::to_string(event.run);
    if (event.task != 1) line.append(" task ").append(std::to_string(event.task));
    switch (event.kind) {
        case RunEventKind::started:
            line.append(": starts ").append(event.text);
            if (event.arguments != nullptr) line += event.arguments->to_text();
            break;
        case RunEventKind::performed:
            line.append(": performs ").append(event.op->name());
            line += event.arguments->to_text();
            break;
        case RunEventKind::answered:
            line.append(": ").append(event.op->name()).append(" is answered with ");
            line.append(name_of(event.answer)).append(" ").append(event.value->to_text());
            break;
        case RunEventKind::yielded:
            line += ": yields";
            break;
        case RunEventKind::waits:
            line += ": waits for a task";
            break;
        case RunEventKind::ended:
            line.append(": ends with ").append(event.value->to_text());
            break;
        case RunEventKind::settled:
            line.append(": settled ").append(name_of(event.end));
            if (event.value != nullptr) line.append(" ").append(event.value->to_text());
            if (!event.text.empty()) line.append(": ").append(event.text);
            break;
    }
    return line;
}

}  // namespace gyre::effect
