// SPDX-License-Identifier: Apache-2.0
// StaticFiles while the process has no descriptors left: its fault, not that of the client.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <optional>

#include "gyre/http/static_files_world.test.hpp"

namespace gyre::http {
namespace {

// No further descriptor can be opened while it lives.
class NoDescriptors {
public:
    NoDescriptors() {
        EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
        rlimit none = before_;
        none.rlim_cur = 0;
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    ~NoDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

private:
    rlimit before_{};
};

class HttpFilesOfTheSystem : public HttpFiles {};
GYRE_ON_PLATFORMS(HttpFilesOfTheSystem, gyre::test::real_platforms);

TEST_P(HttpFilesOfTheSystem,
       that_cannot_be_opened_for_lack_of_descriptors_are_a_503_and_not_a_404) {
    make_folder("public/listed");
    open_files(folder + "/public", {.lists_folders = true});
    bool has_descriptors = false;
    server.get("/*path", [&, this](Request& request, Response& response) -> Future<void> {
        std::optional<NoDescriptors> none;
        if (!has_descriptors) none.emplace();
        co_await files->serve(request, response);
    });
    for (const char* path : {"/a.txt", "/sub/", "/listed/"}) {
        const std::string answer = get(path);
        EXPECT_EQ(status_of_answer(answer), 503) << path;
        EXPECT_EQ(field_of(answer, "retry-after"), "1") << path;
    }
    has_descriptors = true;
    for (const char* path : {"/a.txt", "/sub/", "/listed/"}) {
        EXPECT_EQ(status_of_answer(get(path)), 200) << path;
    }
}

}  // namespace
}  // namespace gyre::http
