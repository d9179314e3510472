// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/internal/files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "lang/wasm/standard/internal/requests.hpp"

namespace gyre::wasm {
namespace {

using effect::Answer;
using effect::Arguments;
using effect::tail;
using effect::Value;

Value unit() {
    return Value(Value::Record{});
}
Answer fine(Value value) {
    return tail(record({{"ok", true},
                        {"value", std::move(value)},
                        {"error_kind", ""},
                        {"error_code", 0},
                        {"error_message", ""}}));
}

const char* kind_of(const std::error_code& code) noexcept {
    if (code == std::errc::no_such_file_or_directory) return "not-found";
    if (code == std::errc::file_exists) return "already-exists";
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        return "permission-denied";
    }
    if (code == std::errc::directory_not_empty) return "conflict";
    return "other";
}
// The value is one of the right type: the module decodes it before it looks at `ok`.
Answer failed(const std::system_error& error, Value value) {
    return tail(record({{"ok", false},
                        {"value", std::move(value)},
                        {"error_kind", kind_of(error.code())},
                        {"error_code", 1},
                        {"error_message", error.what()}}));
}

std::string path_of(const Arguments& arguments) {
    return argument(arguments, Value::Kind::text).text();
}
std::string text_field(const Arguments& arguments, const char* name) {
    const Value* found = argument(arguments, Value::Kind::record).field(name);
    if (found == nullptr || !found->is(Value::Kind::text)) {
        throw Failure(std::string("voyd.std.fs: ") + name + " is no text");
    }
    return found->text();
}
std::string bytes_field(const Arguments& arguments) {
    const Value* found = argument(arguments, Value::Kind::record).field("bytes");
    if (found == nullptr || !found->is(Value::Kind::bytes)) {
        throw Failure("voyd.std.fs: bytes is no bytes");
    }
    return {reinterpret_cast<const char*>(found->bytes().data()), found->bytes().size()};
}
// Of a request that has either.
std::string content_of(const Arguments& arguments) {
    const bool is_bytes = text_field(arguments, "kind") == "bytes";
    return is_bytes ? bytes_field(arguments) : text_field(arguments, "value");
}

bool is_inside(const std::string& path, const std::string& folder) {
    if (!path.starts_with(folder)) return false;
    return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

}  // namespace

Files::Files(std::vector<std::string> folders) : folders_(std::move(folders)) {}

Files::Op Files::find(std::string_view name) noexcept {
    struct Named {
        std::string_view name;
        Op op;
    };
    static constexpr Named ops[] = {
        {"read_bytes", &Files::read_bytes},
        {"read_string", &Files::read_string},
        {"write_bytes", &Files::write_bytes},
        {"write_string", &Files::write_string},
        {"write_atomic", &Files::write_atomic},
        {"create_exclusive", &Files::create_exclusive},
        {"exists", &Files::exists},
        {"list_dir", &Files::list_dir},
        {"remove", &Files::remove},
        {"create_dir_all", &Files::create_dir_all},
        {"rename", &Files::rename},
    };
    const auto found = std::ranges::find(ops, name, &Named::name);
    return found == std::end(ops) ? nullptr : found->op;
}

Future<std::string> Files::resolve(std::string path) const {
    // A relative path is one of the first folder: a module has no working directory.
    const std::filesystem::path base(folders_.empty() ? "/" : folders_.front());
    const std::filesystem::path whole = (base / path).lexically_normal();
    const auto folder = std::ranges::find_if(
        folders_, [&](const std::string& one) { return is_inside(whole.string(), one); });
    if (folder == folders_.end()) {
        throw SystemFailure(std::errc::permission_denied,
                            path + " is not permitted: --allow fs=DIR permits a folder");
    }
    // A link must not lead out: the nearest part that is there has its place inside of the folder.
    const std::string root = co_await fs::real_path(*folder);
    std::filesystem::path there = whole;
    bool is_there = co_await fs::exists(there.string());
    while (!is_there && there.has_relative_path()) {
        there = there.parent_path();
        is_there = co_await fs::exists(there.string());
    }
    const std::string real = co_await fs::real_path(there.string());
    if (!is_inside(real, root)) {
        throw SystemFailure(std::errc::permission_denied,
                            path + " leads out of the permitted folder");
    }
    co_return whole.string();
}

Future<Answer> Files::read_bytes(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        const std::string content = co_await fs::read_file(path);
        const auto* first = reinterpret_cast<const std::byte*>(content.data());
        Value value(Value::Blob(first, first + content.size()));
        co_return fine(std::move(value));
    } catch (const std::system_error& error) {
        co_return failed(error, Value(Value::Blob{}));
    }
}

Future<Answer> Files::read_string(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        std::string content = co_await fs::read_file(path);
        Value value(std::move(content));
        co_return fine(std::move(value));
    } catch (const std::system_error& error) {
        co_return failed(error, "");
    }
}

Future<Answer> Files::write_bytes(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_field(arguments, "path"));
        co_await fs::write_file(path, bytes_field(arguments));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::write_string(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_field(arguments, "path"));
        co_await fs::write_file(path, text_field(arguments, "value"));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::write_atomic(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_field(arguments, "path"));
        co_await fs::replace(path, content_of(arguments));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::create_exclusive(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_field(arguments, "path"));
        const bool is_there = co_await fs::exists(path);
        if (is_there) throw SystemFailure(std::errc::file_exists, path + " exists");
        co_await fs::write_file(path, content_of(arguments));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::exists(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        const bool is_there = co_await fs::exists(path);
        co_return tail(is_there);
    } catch (const std::system_error&) {
        co_return tail(false);
    }
}

Future<Answer> Files::list_dir(Arguments arguments) {
    try {
        const std::string given = path_of(arguments);
        const std::string path = co_await resolve(given);
        const std::vector<FolderEntry> entries = co_await fs::list(path);
        Value::List names;
        for (const FolderEntry& entry : entries) {
            names.emplace_back((std::filesystem::path(given) / entry.name).string());
        }
        Value value(std::move(names));
        co_return fine(std::move(value));
    } catch (const std::system_error& error) {
        co_return failed(error, Value(Value::List{}));
    }
}

Future<Answer> Files::remove(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        co_await fs::remove(path);
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::create_dir_all(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        co_await fs::make_folders(path);
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::rename(Arguments arguments) {
    try {
        const std::string from = co_await resolve(text_field(arguments, "from"));
        const std::string to = co_await resolve(text_field(arguments, "to"));
        co_await fs::rename(from, to);
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

}  // namespace gyre::wasm
