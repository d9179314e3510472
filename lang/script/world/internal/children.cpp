// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/children.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t read_bytes = std::size_t{64} << 10u;

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> made;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find('\0'));
        made.emplace_back(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return made;
}

StandardStream stream_of(char letter) {
    if (letter == 'p') return StandardStream::pipe;
    return letter == 'n' ? StandardStream::nothing : StandardStream::inherited;
}

int error_of(const std::system_error& error) {
    return error.code().value() > 0 ? error.code().value() : EIO;
}

}  // namespace

ScriptChildren::Shared ScriptChildren::find(double id) const {
    const auto found = children_.find(id);
    return found == children_.end() ? nullptr : found->second;
}

void ScriptChildren::start(NativeCall& call) {
    const double id = call.number(0);
    script_.hold();
    auto command = std::make_unique<process::Command>();
    command->program = call.text(1);
    const std::string refusal = script_.system().refusal(Access::child, command->program);
    if (!refusal.empty()) return script_.post_done(id, -EPERM, "P" + refusal);
    command->arguments = parts_of(call.text(2));
    for (const std::string& entry : parts_of(call.text(3))) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos) continue;
        command->environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    command->inherits_environment = false;
    command->folder = call.text(4);
    const std::string streams = call.text(5) + "iii";
    command->input = stream_of(streams[0]);
    command->output = stream_of(streams[1]);
    command->error = stream_of(streams[2]);
    command->has_own_group = call.truth(6);
    auto child = std::make_shared<Child>();
    children_[id] = child;
    static_cast<void>(executor_.root().spawn(run(id, std::move(command), child)));
}

Future<void> ScriptChildren::run(double id, std::unique_ptr<process::Command> command,
                                 Shared child) {
    double code = 0;
    std::string text;
    try {
        process::Process started = co_await process::spawn(std::move(*command));
        child->process = std::make_unique<process::Process>(std::move(started));
        child->has_started.set();
        script_.post_event(id, child->process->pid(), "S");
        const ChildEnd end = co_await child->process->wait();
        code = end.code;
        text = "C" + std::to_string(end.signal);
    } catch (const std::system_error& error) {
        code = -error_of(error);
        text = "E";
    }
    child->has_started.set();
    script_.post_done(id, code, std::move(text));
}

void ScriptChildren::read(NativeCall& call) {
    const double done_id = call.number(0);
    Shared child = find(call.number(1));
    script_.hold();
    const bool is_error = call.number(2) == 2;
    if (child == nullptr) return script_.post_done(done_id, 0, {});
    static_cast<void>(executor_.root().spawn(read_part(done_id, std::move(child), is_error)));
}

Future<void> ScriptChildren::read_part(double done_id, Shared child, bool is_error) {
    double number = 0;
    co_await child->has_started.wait();
    const process::PipeReader* from = nullptr;
    if (child->process != nullptr) {
        from = is_error ? &child->process->error : &child->process->output;
    }
    if (from != nullptr && from->is_open()) {
        std::string data(read_bytes, '\0');
        try {
            const std::size_t size =
                co_await from->read(std::as_writable_bytes(std::span<char>(data)));
            data.resize(size);
            number = static_cast<double>(size);
            if (size > 0) read_[done_id] = std::move(data);
        } catch (const std::system_error& error) {
            number = -error_of(error);
        }
    }
    script_.post_done(done_id, number, {});
}

void ScriptChildren::take(NativeCall& call) {
    const auto found = read_.find(call.number(0));
    if (found == read_.end()) return;
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), found->second.size());
    if (size > 0) std::memcpy(into.data(), found->second.data(), size);
    read_.erase(found);
}

void ScriptChildren::write(NativeCall& call) {
    const double done_id = call.number(0);
    Shared child = find(call.number(1));
    script_.hold();
    if (child == nullptr) return script_.post_done(done_id, -EPIPE, {});
    const std::span<std::byte> bytes = call.bytes(2);
    std::string data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    static_cast<void>(
        executor_.root().spawn(write_part(done_id, std::move(child), std::move(data))));
}

Future<void> ScriptChildren::write_part(double done_id, Shared child, std::string data) {
    double number = 0;
    co_await child->has_started.wait();
    try {
        if (child->process == nullptr || !child->process->input.is_open()) {
            number = -EPIPE;
        } else if (data.empty()) {
            co_await child->process->input.aclose();
        } else {
            co_await child->process->input.write(std::as_bytes(std::span<const char>(data)));
        }
    } catch (const std::system_error& error) {
        number = -error_of(error);
    }
    script_.post_done(done_id, number, {});
}

void ScriptChildren::drop(NativeCall& call) {
    children_.erase(call.number(0));
}

void ScriptChildren::kill(NativeCall& call) {
    const Shared child = find(call.number(0));
    if (child == nullptr || child->process == nullptr) return call.give_number(ESRCH);
    const Result<void> sent = child->process->signal(static_cast<int>(call.number(1)));
    call.give_number(sent ? 0 : -sent.error().as_result());
}

}  // namespace gyre::script
