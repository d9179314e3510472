// SPDX-License-Identifier: Apache-2.0
// The world of the tests of static files: a server, and a platform with a folder of files. One thread.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/http/server_world.test.hpp"
#include "gyre/http/static_files.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/pools.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {

// A server, and the platform that has the files on its disk, with its Offload. The simulated disk
// has no file of the system.
class HttpFiles : public testing::TestWithParam<const char*> {
protected:
    ~HttpFiles() override {
        if (loop != nullptr) loop->close();
        if (is_simulated() || folder.empty()) return;
        std::filesystem::remove_all(folder);
    }
    void SetUp() override {
        LoopOptions options{.offload = &pools};
        if (is_simulated()) {
            auto made = std::make_unique<sim::SimPlatform>(virtual_clock);
            simulated = made.get();
            options.offload = &made->offload();
            platform = std::move(made);
        } else {
            auto made = platform::make_platform(clock, GetParam());
            if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
            platform = std::move(*made);
        }
        loop = std::make_unique<Loop>(*platform, executor, options);
        make_files();
    }
    [[nodiscard]] static bool is_simulated() { return std::string_view(GetParam()) == "sim"; }
    void make_files() {
        FileTree& tree = *platform->environment()->file_tree();
        folder = tree.make_unique_folder(tree.temporary_folder(), "gyre-http-files-").value();
        make_folder("public");
        make_folder("public/sub");
        write("public/a.txt", "hello world");
        write("public/large.bin", std::string(300'000, 'x'));
        write("public/sub/index.html", "<p>index");
        write("public/.hidden", "hidden");
        write("public/plain.css", "body {}");
        write("public/plain.css.gz", "compressed");
        write("secret.txt", "secret");
        link("../secret.txt", "public/link.txt");
    }
    // Runs the task to its end, or throws; the world stays usable after a failure.
    template <class F>
    void run(F function) {
        Scope scope(executor, nullptr, {.name = "test", .cancels_on_failure = false});
        auto handle = scope.spawn(std::move(function));
        static_cast<void>(loop->run());
        EXPECT_EQ(executor.task_count(), 0u) << executor.dump_tasks();
        handle.outcome().take();
    }
    // The whole output of the server for this input.
    std::string exchange(const std::string& text) {
        std::string answer;
        run([&]() -> Future<void> {
            auto body = [&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const Address at = listener.local_address().value();
                scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                            std::move(listener));
                answer = co_await talk(at, text);
                server.stop();
            };
            co_await with_scope(std::move(body));
        });
        return answer;
    }
    void write(const std::string& name, const std::string& text) {
        if (is_simulated()) {
            simulated->put_file(folder + "/" + name, text);
        } else {
            std::ofstream(folder + "/" + name, std::ios::binary) << text;
        }
    }
    void make_folder(const std::string& name) {
        ASSERT_TRUE(platform->environment()->file_tree()->make_folder(folder + "/" + name, 0755));
    }
    void link(const std::string& target, const std::string& name) {
        ASSERT_TRUE(
            platform->environment()->file_tree()->symbolic_link(target, folder + "/" + name));
    }
    void open_files(const std::string& path, StaticOptions options = {}) {
        run([&]() -> Future<void> { files.emplace(co_await StaticFiles::open(path, options)); });
    }
    void serve_folder(StaticOptions options = {}) {
        open_files(folder + "/public", std::move(options));
        server.get("/*path", [this](Request& request, Response& response) {
            return files->serve(request, response);
        });
    }
    std::string get(const std::string& path, const std::string& fields = "") {
        return exchange("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
    }
    static std::string field_of(const std::string& answer, std::string_view name) {
        ResponseParser parser;
        if (parser.parse(answer) != ParseState::complete) return "no answer";
        return std::string(parser.head().fields.get(name));
    }

    std::string folder;
    std::optional<StaticFiles> files;
    Server server;

private:
    platform::SystemClock clock;
    sim::VirtualClock virtual_clock;
    pool::Pools pools;
    std::unique_ptr<Platform> platform;
    sim::SimPlatform* simulated = nullptr;
    Executor executor;
    std::unique_ptr<Loop> loop;
};

}  // namespace gyre::http
