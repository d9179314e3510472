// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/files.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::script {
namespace {

// Where the arguments of a call are, behind the first.
enum Place : std::size_t { verb, path, other, x, y, z, bytes, fd };
constexpr Fd standard_fd_last = 2;

std::string_view text_of(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace

FileTree* ScriptFiles::tree() const {
    Environment* environment = executor_.loop().platform().environment();
    return environment == nullptr ? nullptr : environment->file_tree();
}

FileCalls* ScriptFiles::calls() const {
    Environment* environment = executor_.loop().platform().environment();
    return environment == nullptr ? nullptr : environment->file_calls();
}

FsCall ScriptFiles::read_call(NativeCall& call, std::size_t first) {
    FsCall made;
    made.verb = static_cast<FsVerb>(static_cast<unsigned>(call.number(first + verb)));
    made.path = call.text(first + path);
    made.other = call.text(first + other);
    made.x = call.number(first + x);
    made.y = call.number(first + y);
    made.z = call.number(first + z);
    made.bytes = call.bytes(first + bytes);
    made.permissions = script_.system().permissions();
    if (made.permissions != nullptr) {
        const std::string folder = script_.system().directory() + "/";
        const auto make_whole = [&](std::string& name) {
            if (!name.empty() && !name.starts_with('/')) name.insert(0, folder);
        };
        make_whole(made.path);
        if (made.verb != FsVerb::symlink) make_whole(made.other);
    }
    const auto found = open_.find(static_cast<Fd>(call.number(first + fd)));
    if (call.number(first + fd) >= 0 && found != open_.end()) {
        made.file = found->second;
        if (made.verb == FsVerb::close) open_.erase(found);
    }
    return made;
}

// Standard input and output are the System's. True: it was one of them.
bool ScriptFiles::run_on_standard(NativeCall& call, std::size_t first, FsCall& made) {
    const double number = call.number(first + fd);
    if (!(number >= 0 && number <= standard_fd_last)) return false;
    const int stream = static_cast<int>(number);
    const bool writes = made.verb == FsVerb::write || made.verb == FsVerb::write_file;
    if (writes && stream > 0) {
        script_.system().write(stream, text_of(made.bytes));
        made.number = static_cast<std::int64_t>(made.bytes.size());
    } else if (made.verb == FsVerb::read && stream == 0) {
        if (input_.empty()) input_ = script_.system().read_input_now();
        const std::size_t size = std::min(input_.size(), made.bytes.size());
        if (size > 0) std::memcpy(made.bytes.data(), input_.data(), size);
        input_.erase(0, size);
        made.number = static_cast<std::int64_t>(size);
    } else if (made.verb == FsVerb::read_file && stream == 0) {
        for (;;) {
            const std::string part = script_.system().read_input_now();
            if (part.empty()) break;
            input_ += part;
        }
        const auto data = std::as_bytes(std::span(input_));
        made.own.assign(data.begin(), data.end());
        made.number = static_cast<std::int64_t>(input_.size());
        input_.clear();
    } else {
        made.number = Error(std::errc::bad_file_descriptor).as_result();
    }
    return true;
}

void ScriptFiles::finish(FsCall& call) {
    if (call.opened != nullptr) open_[call.opened->fd] = std::move(call.opened);
}

void ScriptFiles::run_now(NativeCall& call) {
    FsCall made = read_call(call, 0);
    if (!run_on_standard(call, 0, made)) {
        if (tree() == nullptr || calls() == nullptr) {
            made.number = Error(std::errc::function_not_supported).as_result();
        } else {
            made.run(*tree(), *calls());
        }
    }
    finish(made);
    if (made.verb == FsVerb::read_file) read_[0] = std::move(made.own);
    call.give_text(std::to_string(made.number) + " " + made.text);
}

void ScriptFiles::start(NativeCall& call) {
    auto made = std::make_unique<FsCall>(read_call(call, 1));
    const double id = call.number(0);
    script_.hold();
    if (run_on_standard(call, 1, *made)) {
        if (made->verb == FsVerb::read_file) read_[id] = std::move(made->own);
        script_.post_done(id, static_cast<double>(made->number), std::move(made->text));
        return;
    }
    // The script may change or drop its buffer meanwhile.
    if (made->verb == FsVerb::read) {
        made->own.resize(made->bytes.size());
    } else {
        made->own.assign(made->bytes.begin(), made->bytes.end());
    }
    made->bytes = made->own;
    static_cast<void>(executor_.root().spawn(run_elsewhere(id, std::move(made))));
}

Future<void> ScriptFiles::run_elsewhere(double id, std::unique_ptr<FsCall> call) {
    FileTree* const files = tree();
    FileCalls* const others = calls();
    if (files == nullptr || others == nullptr) {
        call->number = Error(std::errc::function_not_supported).as_result();
    } else {
        const auto work = [files, others, call = call.get()] { call->run(*files, *others); };
        try {
            co_await blocking(work, WorkKind::files);
        } catch (const std::system_error& error) {  // The Offload is full.
            call->number = -error.code().value();
        }
    }
    finish(*call);
    const bool has_read = call->verb == FsVerb::read || call->verb == FsVerb::read_file;
    if (has_read && call->number > 0) read_[id] = std::move(call->own);
    script_.post_done(id, static_cast<double>(call->number), std::move(call->text));
}

void ScriptFiles::take(NativeCall& call) {
    const auto found = read_.find(call.number(0));
    if (found == read_.end()) return;
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), found->second.size());
    if (size > 0) std::memcpy(into.data(), found->second.data(), size);
    read_.erase(found);
}

}  // namespace gyre::script
