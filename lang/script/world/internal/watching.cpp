// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/watching.hpp"

#include <cerrno>
#include <optional>
#include <utility>

#include "gyre/fs/confined.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/task/core/cancel.hpp"

namespace gyre::script {
namespace {

// The name below the watched path; that of the path itself where it is a file.
std::string name_below(const std::string& path, const std::string& folder) {
    if (path.size() > folder.size() && path.starts_with(folder)) {
        return path.substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
    }
    return path.substr(path.rfind('/') + 1);
}

// Told once, however the task ends.
struct End {
    Script& script;
    double id;
    double number = -ECANCELED;
    std::string text = {};
    ~End() { script.post_done(id, number, std::move(text)); }
};

}  // namespace

void ScriptWatches::start(NativeCall& call) {
    const double id = call.number(0);
    std::string path = call.text(1);
    if (script_.system().permissions() != nullptr && !path.starts_with('/')) {
        path.insert(0, script_.system().directory() + "/");
    }
    script_.hold();
    auto task = executor_.root().spawn(watch(id, std::move(path), call.truth(2)));
    tasks_.insert_or_assign(id, std::move(task));
}

Future<void> ScriptWatches::watch(double id, std::string path, bool is_recursive) {
    End end{script_, id};
    using Kind = fs::FileChange::Kind;
    try {
        const Permissions* permissions = script_.system().permissions();
        if (permissions != nullptr) path = co_await fs::confined(*permissions, std::move(path));
        fs::WatchOptions options;
        options.recursive = is_recursive;
        Stream<fs::FileChange> changes = co_await fs::watch(path, options);
        script_.post_event(id, 0, "W");
        while (std::optional<fs::FileChange> change = co_await changes.next()) {
            const bool is_change =
                change->kind == Kind::modified || change->kind == Kind::attributes;
            if (change->kind == Kind::renamed) {
                script_.post_event(id, 0, "R" + name_below(change->from, path));
            }
            if (change->kind == Kind::lost) continue;
            script_.post_event(id, 0, (is_change ? "M" : "R") + name_below(change->path, path));
        }
        end.number = 0;
    } catch (const Cancelled&) {
        throw;
    } catch (const fs::FileError& error) {
        end.number = -error.code().value();
    } catch (const std::system_error& error) {
        const bool is_refused = error.code() == std::errc::permission_denied;
        end.number = -error.code().value();
        if (is_refused) end.text = std::string("D") + error.what();
    }
}

void ScriptWatches::stop(NativeCall& call) {
    const auto found = tasks_.find(call.number(0));
    if (found == tasks_.end()) return;
    if (!found->second.is_completed()) found->second.cancel();
    tasks_.erase(found);
}

}  // namespace gyre::script
