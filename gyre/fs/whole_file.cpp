// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/whole_file.hpp"

#include <algorithm>
#include <exception>

#include "gyre/fs/file.hpp"
#include "gyre/fs/internal/tree_call.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/task/combine/shield.hpp"

namespace gyre::fs {
namespace {

constexpr std::size_t first_read_bytes = std::size_t{64} * 1024;
// Leaves room for the additions to a file name.
constexpr std::size_t name_part_max = 200;

// Reads until the end of the file; false if it exceeds the limit.
Future<bool> read_all(const File& file, std::uint64_t size_bytes, std::uint64_t size_max_bytes,
                      std::string& text) {
    std::size_t done = 0;
    const std::uint64_t room_max = size_max_bytes + 1;  // one more byte, to detect a larger file
    const std::uint64_t first = size_bytes > 0 ? size_bytes : first_read_bytes;
    text.resize(static_cast<std::size_t>(std::min(first, room_max)));
    for (;;) {
        const Bytes rest = std::as_writable_bytes(std::span(text)).subspan(done);
        const std::size_t count = co_await file.read_at(rest, done);
        done += count;
        if (done > size_max_bytes) co_return false;
        if (count == 0 || (size_bytes > 0 && done == size_bytes)) break;
        if (done == text.size()) {
            text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(2 * done, room_max)));
        }
    }
    text.resize(done);
    co_return true;
}

Future<void> write_to(std::string path, std::string content, OpenOptions options) {
    File file = co_await open(path, options);
    try {
        co_await file.write_all_at(bytes_of(content), 0);
    } catch (const std::system_error& e) {
        throw FileError("write", path, Error(static_cast<std::errc>(e.code().value())));
    }
    co_await file.aclose();
}

// Owns the temporary file until it is renamed or removed.
struct Draft {
    std::string path;
    File file;
};

Future<Draft> make_draft(const std::string& path, ReplaceOptions options) {
    const Task& self = co_await this_task();
    std::string prefix(".");
    prefix += name_of(path).substr(0, name_part_max);
    prefix += '.';
    const std::uint32_t mode = options.mode.value_or(0644);
    const auto make = [&prefix, mode](FileTree& tree, const std::string& folder) {
        return tree.make_file(folder, prefix, mode);
    };
    const Result<NewFile> made = co_await try_tree<NewFile>(folder_of(path), make);
    if (!made) throw FileError("replace", path, made.error());
    co_return Draft{made->path, File(OpenDescriptor(platform_of(self), made->fd), made->path)};
}

Future<void> fill_draft(const Draft& draft, const std::string& path, const std::string& content,
                        ReplaceOptions options) {
    const auto ask = [](FileTree& tree, const std::string& at) {
        return tree.stat(at, Links::followed);
    };
    const Result<FileStat> old = co_await try_tree<FileStat>(path, ask);
    if (options.mode) {
        co_await draft.file.set_mode(*options.mode);
    } else if (old) {
        co_await draft.file.set_mode(old->mode);
    }
    co_await draft.file.write_all_at(bytes_of(content), 0);
    co_await draft.file.sync();
}

// The rename cannot be undone, so it is shielded from a cancel.
Future<void> put_in_place(Draft& draft, const std::string& path) {
    co_await draft.file.aclose();
    co_await rename(draft.path, path);
    draft.path.clear();
    const auto sync = [](FileTree& tree, const std::string& folder) {
        return tree.sync_folder(folder);
    };
    co_await call_tree<void>("replace", folder_of(path), sync);
}

Future<void> throw_away(Draft& draft) {
    draft.file = File();
    if (draft.path.empty()) co_return;
    const auto call = [](FileTree& tree, const std::string& at) { return tree.remove(at); };
    (void)co_await try_tree<void>(draft.path, call);
}

}  // namespace

Future<std::string> read_file(std::string path, ReadFileOptions options) {
    File file = co_await open(path);
    std::string text;
    bool is_within = false;
    try {
        const FileStat found = co_await file.stat();
        const std::uint64_t size = found.is_file() ? found.size_bytes : 0;
        if (size <= options.size_max_bytes) {
            is_within = co_await read_all(file, size, options.size_max_bytes, text);
        }
    } catch (const std::system_error& e) {
        throw FileError("read_file", path, Error(static_cast<std::errc>(e.code().value())));
    }
    co_await file.aclose();
    if (!is_within) {
        throw LimitError(doing("read_file", path), "size_max_bytes", options.size_max_bytes);
    }
    co_return text;
}

Future<void> write_file(std::string path, std::string content, WriteFileOptions options) {
    const OpenOptions how{
        .read = false, .write = true, .create = true, .truncate = true, .mode = options.mode};
    return write_to(std::move(path), std::move(content), how);
}

Future<void> append_file(std::string path, std::string content, WriteFileOptions options) {
    const OpenOptions how{
        .read = false, .write = true, .create = true, .append = true, .mode = options.mode};
    return write_to(std::move(path), std::move(content), how);
}

Future<void> replace(std::string path, std::string content, ReplaceOptions options) {
    Draft draft = co_await make_draft(path, options);
    std::exception_ptr failure;
    try {
        co_await fill_draft(draft, path, content, options);
        co_await shield(put_in_place(draft, path));
        co_return;
    } catch (const FileError&) {
        failure = std::current_exception();
    } catch (const std::system_error& e) {
        const Error error(static_cast<std::errc>(e.code().value()));
        failure = std::make_exception_ptr(FileError("replace", path, error));
    } catch (...) {
        failure = std::current_exception();
    }
    co_await shield(throw_away(draft));
    std::rethrow_exception(failure);
}

}  // namespace gyre::fs
