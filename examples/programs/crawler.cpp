// SPDX-License-Identifier: Apache-2.0
// A crawler: follows links with four requests in flight, tries each page three times, and shows
// its progress. Without an address it crawls a small site of its own, half of whose pages fail once.
//
//     $ crawler
//     7 pages, 3 retries, 0 given up

#include <gyre/gyre.hpp>
#include <gyre/http/client.hpp>
#include <gyre/http/server.hpp>

#include <cstdio>
#include <set>
#include <string>

using namespace gyre;
using namespace std::chrono_literals;

class Crawler {
public:
    Future<void> crawl(std::string url) {
        ScopeOptions four{.name = "crawl", .concurrency_max = 4};
        co_await with_scope(
            [&](Scope& scope) -> Future<void> {
                add(scope, url);
                co_return;
            },
            four);
    }
    int page_count = 0, retry_count = 0, lost_count = 0;

private:
    void add(Scope& scope, const std::string& url) {
        if (!seen_.insert(url).second) return;
        scope.spawn([this, &scope](std::string page) { return visit(scope, std::move(page)); },
                    url);
    }
    Future<void> visit(Scope& scope, std::string url) {
        for (int attempt = 1; attempt <= 3; ++attempt) {
            if (attempt > 1) ++retry_count;
            Result<http::ClientResponse> answer = co_await try_(timeout(client_.fetch(url), 5s));
            if (answer && answer->status == 200) {
                ++page_count;
                follow(scope, url, answer->body);
                co_return;
            }
            co_await sleep(attempt * 10ms);
        }
        ++lost_count;
    }
    void follow(Scope& scope, const std::string& from, const std::string& body) {
        const std::string base = from.substr(0, from.find('/', 8));
        std::size_t at = 0;
        while ((at = body.find("href=\"/", at)) != std::string::npos) {
            at += 6;
            add(scope, base + body.substr(at, body.find('"', at) - at));
        }
    }
    http::Client client_;
    std::set<std::string> seen_;
};

Future<void> watch(const Crawler& crawler) {
    for (;;) {
        co_await sleep(100ms);
        std::fprintf(stderr, "\r%d pages, %d retries", crawler.page_count, crawler.retry_count);
    }
}

// Page n links to 2n and 2n+1; each second one fails at first.
void add_pages(http::Server& server, std::set<std::string>& failed) {
    server.get("/:page", [&failed](auto& request, auto& response) -> Future<void> {
        const std::string page(request.param("page"));
        const int number = std::stoi(page);
        if (number % 2 == 0 && failed.insert(page).second) throw std::runtime_error("not now");
        std::string body;
        for (int next = 2 * number; next < 2 * number + 2 && next < 8; ++next) {
            body += "<a href=\"/" + std::to_string(next) + "\">";
        }
        response.send(body);
        co_return;
    });
}

Future<void> app(std::string url) {
    http::Server server;
    Crawler crawler;
    std::set<std::string> failed;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        if (url.empty()) {
            add_pages(server, failed);
            net::Listener listener = co_await net::listen(Address::loopback());
            url = "http://" + listener.local_address().value().to_string() + "/1";
            scope.spawn(server.serve(std::move(listener)));
        }
        auto progress = scope.spawn([&crawler] { return watch(crawler); });
        co_await crawler.crawl(url);
        progress.cancel("done");
        server.stop();
    });
    std::printf("%d pages, %d retries, %d given up\n", crawler.page_count, crawler.retry_count,
                crawler.lost_count);
}

int main(int count, char** arguments) {
    const std::string url = count > 1 ? arguments[1] : "";
    return gyre::run([&url] { return app(url); });
}
