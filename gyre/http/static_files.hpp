// SPDX-License-Identifier: Apache-2.0
// StaticFiles: serves a folder of its platform's disk, simulated ones too: media types, ranges,
// ETag and dates, files that lie compressed beside the plain ones, listings where wanted. Files are
// looked for on the loop's Offload, and sent by the platform. Names that begin with a dot are not
// there, and links that lead out of the folder lead nowhere. It outlives the server that uses it;
// one thread, that of its platform.
//
//     http::StaticFiles files = co_await http::StaticFiles::open("public");
//     server.get("/*path", [&](auto& request, auto& response) {
//         return files.serve(request, response);
//     });
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gyre/http/internal/served_folder.hpp"
#include "gyre/http/range.hpp"
#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"

namespace gyre::http {

struct StaticOptions {
    std::string index = "index.html";
    bool lists_folders = false;
    // `a.css.gz` for `a.css`, where the other side takes gzip.
    bool uses_compressed_files = true;
    // Text up to that size is compressed as it goes, where the other side takes gzip. 0: none.
    std::size_t compressed_bytes_max = std::size_t{1} << 20U;
};

class StaticFiles {
public:
    // std::system_error, which names the folder, where it cannot be looked at. Cancel class: did
    // nothing.
    [[nodiscard]] static Future<StaticFiles> open(std::string folder);
    [[nodiscard]] static Future<StaticFiles> open(std::string folder, StaticOptions options);

    // The file that the rest of the route's path names: its parameter `path`.
    [[nodiscard]] Future<void> serve(Request& request, Response& response) const;

private:
    struct Found;

    StaticFiles(ServedFolder folder, StaticOptions options)
        : folder_(std::move(folder)), options_(std::move(options)) {}
    [[nodiscard]] Found find(FileTree& tree, const std::string& path, bool takes_gzip) const;
    [[nodiscard]] static Found list(FileTree& tree, const std::string& folder);
    [[nodiscard]] Future<void> send_file(const Found& found, Request& request,
                                         Response& response) const;
    [[nodiscard]] static Future<void> send_parts(const Found& found,
                                                 const std::vector<ByteRange>& ranges,
                                                 Response& response);
    [[nodiscard]] static net::FileSlice slice_of(const Found& found, ByteRange part) noexcept;

    ServedFolder folder_;
    StaticOptions options_;
};

}  // namespace gyre::http
