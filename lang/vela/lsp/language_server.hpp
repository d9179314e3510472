// SPDX-License-Identifier: Apache-2.0
// LanguageServer: the Language Server Protocol for Vela, without I/O: bytes of the editor in, bytes
// for it out. Requests are answered as they arrive; diagnostics are computed by `work`, which the
// caller runs when no input is waiting, so that a burst of changes costs one check.
//
//     vela::LanguageServer server(files);
//     server.receive(bytes_from_stdin);
//     while (server.has_work()) server.work();
//     std::fputs(server.take_output().c_str(), stdout);
//
// Thread: one at a time.
// Lifetime: the files outlive it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

// The files of the editor's folder. An open document replaces the file of its path.
class WorkspaceFiles : public SourceFiles {
public:
    // The paths of the Vela files in a folder and below, at most `count_max`.
    [[nodiscard]] virtual std::vector<std::string> list(const std::string& folder,
                                                        std::size_t count_max) = 0;

protected:
    ~WorkspaceFiles() = default;
};

// A message over a limit is answered with an error that names it.
struct LanguageServerLimits {
    std::size_t message_bytes_max = std::size_t{16} << 20U;
    std::size_t header_bytes_max = 4096;
    // Arrays and objects inside each other.
    std::size_t nesting_max = 64;
    std::size_t document_bytes_max = std::size_t{4} << 20U;
    std::size_t document_count_max = 1000;
    // Files that a search for references looks at, and those of them that it checks.
    std::size_t workspace_files_max = 2000;
    std::size_t workspace_checks_max = 200;
};

class LanguageServer {
public:
    explicit LanguageServer(WorkspaceFiles& files, LanguageServerLimits limits = {});
    ~LanguageServer();
    LanguageServer(const LanguageServer&) = delete;
    LanguageServer& operator=(const LanguageServer&) = delete;

    // Any part of the stream; whole messages are handled.
    void receive(std::string_view bytes);
    [[nodiscard]] bool has_work() const;
    // Checks one document that has changed, and publishes its diagnostics.
    void work();
    // What is to be sent, and forgets it.
    [[nodiscard]] std::string take_output();

    // After the notification `exit`.
    [[nodiscard]] bool is_over() const;
    // 0 if `shutdown` came before.
    [[nodiscard]] int exit_code() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace gyre::vela
