// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/internal/files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/fs/confined.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/detail/utf8.hpp"

namespace gyre::wasm {
namespace {

using effect::Answer;
using effect::Arguments;
using effect::tail;
using effect::Value;

// A larger file does not fit into an answer.
constexpr std::uint64_t file_size_max_bytes = std::uint64_t{16} << 20u;

Value unit() {
    return Value(Value::Record{});
}
Answer fine(Value value) {
    return tail(record({{"ok", true},
                        {"value", std::move(value)},
                        {"error_kind", "other"},
                        {"error_code", 0},
                        {"error_message", ""}}));
}

const char* kind_of(const std::error_code& code) noexcept {
    if (code == std::errc::no_such_file_or_directory) return "not-found";
    if (code == std::errc::file_exists) return "already-exists";
    if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted) {
        return "permission-denied";
    }
    if (code == std::errc::directory_not_empty || code == std::errc::device_or_resource_busy ||
        code == std::errc::text_file_busy) {
        return "conflict";
    }
    return "other";
}
// As libuv numbers it; 1 where the system gave none.
int number_of(const std::error_code& code) noexcept {
    const int number = code.default_error_condition().value();
    return number > 0 ? -number : 1;
}
// The value is one of the right type: the module decodes it before it looks at `ok`.
Answer failed(const std::system_error& error, Value value) {
    return tail(record({{"ok", false},
                        {"value", std::move(value)},
                        {"error_kind", kind_of(error.code())},
                        {"error_code", number_of(error.code())},
                        {"error_message", error.what()}}));
}

std::string path_of(const Arguments& arguments) {
    return argument(arguments, Value::Kind::text).text();
}
std::string text_of(const Arguments& arguments, const char* name) {
    return text_field(argument(arguments, Value::Kind::record), name);
}
std::string bytes_of(const Arguments& arguments) {
    return std::string(bytes_field(argument(arguments, Value::Kind::record), "bytes"));
}
// Of a request that has either.
std::string content_of(const Arguments& arguments) {
    const std::string kind = text_of(arguments, "kind");
    if (kind == "bytes") return bytes_of(arguments);
    if (kind == "string") return text_of(arguments, "value");
    throw Failure("a file is written with the kind string or bytes, not " + kind);
}

}  // namespace

Files::Files(std::vector<std::string> folders) {
    permissions_.folders = std::move(folders);
}

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
    return fs::confined(permissions_, std::move(path));
}

Future<Answer> Files::read_bytes(Arguments arguments) {
    try {
        const std::string path = co_await resolve(path_of(arguments));
        const std::string content =
            co_await fs::read_file(path, {.size_max_bytes = file_size_max_bytes});
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
        std::string content = co_await fs::read_file(path, {.size_max_bytes = file_size_max_bytes});
        if (!is_utf8(content)) {
            throw SystemFailure(std::errc::illegal_byte_sequence, path + " is no UTF-8");
        }
        Value value(std::move(content));
        co_return fine(std::move(value));
    } catch (const std::system_error& error) {
        co_return failed(error, "");
    }
}

Future<Answer> Files::write_bytes(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_of(arguments, "path"));
        co_await fs::write_file(path, bytes_of(arguments));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::write_string(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_of(arguments, "path"));
        co_await fs::write_file(path, text_of(arguments, "value"));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::write_atomic(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_of(arguments, "path"));
        co_await fs::replace(path, content_of(arguments));
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

Future<Answer> Files::create_exclusive(Arguments arguments) {
    try {
        const std::string path = co_await resolve(text_of(arguments, "path"));
        const std::string content = content_of(arguments);
        const fs::OpenOptions how{.read = false, .write = true, .create = true, .exclusive = true};
        fs::File file = co_await fs::open(path, how);
        const std::span<const char> bytes(content);
        co_await file.write(std::as_bytes(bytes));
        co_await file.aclose();
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
        const std::string from = co_await resolve(text_of(arguments, "from"));
        const std::string to = co_await resolve(text_of(arguments, "to"));
        co_await fs::rename(from, to);
        co_return fine(unit());
    } catch (const std::system_error& error) {
        co_return failed(error, unit());
    }
}

}  // namespace gyre::wasm
