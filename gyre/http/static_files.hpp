// SPDX-License-Identifier: Apache-2.0
// StaticFiles: a handler that serves a directory of the platform's disk: media types, ranges, ETag
// and dates, precompressed files, optional listings. Names that begin with a dot, and symbolic
// links that leave the directory, are not found.
//
//     http::StaticFiles files = co_await http::StaticFiles::open("public");
//     server.get("/*path", [&](http::Request& request, http::Response& response) {
//         return files.serve(request, response);
//     });
//
// Thread: one loop's thread; files are looked up on the loop's Offload.
// Lifetime: outlives the server that uses it.
// Cancel: open did nothing.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"

namespace gyre {
class FileTree;
}

namespace gyre::http {

struct StaticOptions {
    std::string index = "index.html";
    bool lists_folders = false;
    // Sends `a.css.gz` for `a.css` if the client accepts gzip.
    bool uses_compressed_files = true;
    // Text up to this size is compressed for each response if the client accepts gzip. 0: never.
    std::size_t compressed_bytes_max = std::size_t{1} << 20U;
};

class StaticFiles {
public:
    // Throws std::system_error with the path if the directory cannot be opened.
    [[nodiscard]] static Future<StaticFiles> open(std::string folder);
    [[nodiscard]] static Future<StaticFiles> open(std::string folder, StaticOptions options);

    // Responds with the file that the parameter `path` of the route names.
    [[nodiscard]] Future<void> serve(Request& request, Response& response) const;

private:
    struct Found;

    StaticFiles(std::string real_folder, StaticOptions options) noexcept
        : folder_(std::move(real_folder)), options_(std::move(options)) {}
    [[nodiscard]] Found find(FileTree& tree, const std::string& path, bool takes_gzip) const;
    [[nodiscard]] static Found list(FileTree& tree, const std::string& folder);
    [[nodiscard]] Future<void> send_file(const Found& found, Request& request,
                                         Response& response) const;

    std::string folder_;  // its path without symbolic links
    StaticOptions options_;
};

}  // namespace gyre::http
