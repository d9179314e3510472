// SPDX-License-Identifier: Apache-2.0
// StaticFiles: files, ranges, codings and listings, and the names that are never served.
#include "gyre/http/static_files.hpp"

#include <gtest/gtest.h>

#include <malloc.h>

#include <filesystem>
#include <optional>

#include "gyre/http/internal/gzip.hpp"
#include "gyre/http/static_files_world.test.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

namespace fs = std::filesystem;

GYRE_ON_PLATFORMS(HttpFiles, gyre::test::every_platform);

TEST_P(HttpFiles, are_served_with_type_length_and_tag) {
    serve_folder();
    const std::string answer = get("/a.txt");
    EXPECT_EQ(status_of_answer(answer), 200);
    EXPECT_EQ(body_of(answer), "hello world");
    EXPECT_EQ(field_of(answer, "content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(field_of(answer, "content-length"), "11");
    EXPECT_TRUE(field_of(answer, "etag").starts_with("\""));
    EXPECT_NE(field_of(answer, "last-modified"), "");
    EXPECT_EQ(body_of(get("/large.bin")).size(), 300'000U);
    EXPECT_EQ(body_of(get("/sub/")), "<p>index");
    const std::string moved = get("/sub");
    EXPECT_EQ(status_of_answer(moved), 301);
    EXPECT_EQ(field_of(moved, "location"), "/sub/");
    EXPECT_EQ(field_of(get("/sub?a=1&b"), "location"), "/sub/?a=1&b");
    const std::string head = exchange("HEAD /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(field_of(head, "content-length"), "300000");
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST_P(HttpFiles, outside_of_the_folder_are_not_there) {
    serve_folder();
    for (const char* path : {"/none", "/.hidden", "/../secret.txt", "/%2e%2e/secret.txt",
                             "/..%2fsecret.txt", "/link.txt", "/a.txt/", "/", "/sub//index.html"}) {
        const std::string answer = get(path);
        EXPECT_EQ(status_of_answer(answer), 404) << path;
        EXPECT_EQ(answer.find("secret\n"), std::string::npos) << path;
    }
}

// The link may be a folder of the path, the index page, or the compressed file beside a file.
TEST_P(HttpFiles, behind_links_are_there_where_those_stay_in_the_folder) {
    make_folder("public/out");
    link("a.txt", "public/inside.txt");
    link("sub", "public/other");
    link("..", "public/up");
    link(".", "public/same");
    link("../../secret.txt", "public/out/index.html");
    link("../secret.txt", "public/a.txt.gz");
    serve_folder({.compressed_bytes_max = 0});
    EXPECT_EQ(body_of(get("/inside.txt")), "hello world");
    EXPECT_EQ(body_of(get("/other/")), "<p>index");
    EXPECT_EQ(body_of(get("/other/index.html")), "<p>index");
    EXPECT_EQ(body_of(get("/same/sub/index.html")), "<p>index");
    EXPECT_EQ(field_of(get("/other"), "location"), "/other/");
    EXPECT_EQ(body_of(get("/a.txt", "Accept-Encoding: gzip\r\n")), "hello world");
    EXPECT_EQ(body_of(get("/same/plain.css", "Accept-Encoding: gzip\r\n")), "compressed");
    for (const char* path : {"/up/secret.txt", "/up/", "/out/", "/out/index.html", "/same/link.txt",
                             "/other/none", "/inside.txt/", "/inside.txt/more"}) {
        EXPECT_EQ(status_of_answer(get(path)), 404) << path;
    }
}

TEST_P(HttpFiles, are_served_in_parts) {
    serve_folder();
    const std::string part = get("/a.txt", "Range: bytes=6-8\r\n");
    EXPECT_EQ(status_of_answer(part), 206);
    EXPECT_EQ(body_of(part), "wor");
    EXPECT_EQ(field_of(part, "content-range"), "bytes 6-8/11");
    EXPECT_EQ(body_of(get("/large.bin", "Range: bytes=299999-\r\n")), "x");
    const std::string outside = get("/a.txt", "Range: bytes=20-\r\n");
    EXPECT_EQ(status_of_answer(outside), 416);
    EXPECT_EQ(field_of(outside, "content-range"), "bytes */11");
    const std::string tag = field_of(part, "etag");
    EXPECT_EQ(status_of_answer(get("/a.txt", "Range: bytes=0-1\r\nIf-Range: " + tag + "\r\n")),
              206);
    EXPECT_EQ(status_of_answer(get("/a.txt", "Range: bytes=0-1\r\nIf-Range: \"x\"\r\n")), 200);
}

TEST_P(HttpFiles, are_sent_in_several_parts_at_once) {
    serve_folder();
    const std::string answer = get("/a.txt", "Range: bytes=6-,0-1,-1\r\n");
    EXPECT_EQ(status_of_answer(answer), 206);
    EXPECT_EQ(field_of(answer, "content-range"), "");
    const std::string type = field_of(answer, "content-type");
    ASSERT_TRUE(type.starts_with("multipart/byteranges; boundary="));
    const std::string dashes = "--" + type.substr(type.find('=') + 1);
    const std::string head = "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ";
    EXPECT_EQ(body_of(answer), dashes + head + "6-10/11\r\n\r\nworld\r\n" + dashes + head +
                                   "0-1/11\r\n\r\nhe\r\n" + dashes + "--\r\n");
    const std::string large = body_of(get("/large.bin", "Range: bytes=0-199999,200001-\r\n"));
    EXPECT_EQ(std::count(large.begin(), large.end(), 'x'), 299'999);
    EXPECT_EQ(status_of_answer(get("/a.txt", "Range: bytes=0-,0-,0-,0-\r\n")), 200);
    EXPECT_EQ(status_of_answer(get("/a.txt", "Range: bytes=20-,0-0\r\n")), 206)
        << "one lies outside";
}

TEST_P(HttpFiles, have_ranges_for_get_alone) {
    serve_folder();
    const std::string answer =
        exchange("HEAD /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=0-3\r\n\r\n");
    EXPECT_EQ(status_of_answer(answer), 200);
    EXPECT_EQ(field_of(answer, "content-length"), "11");
    EXPECT_EQ(field_of(answer, "content-range"), "");
}

TEST_P(HttpFiles, that_have_not_changed_are_not_sent) {
    serve_folder();
    const std::string answer = get("/a.txt");
    const std::string tag = field_of(answer, "etag");
    const std::string date = field_of(answer, "last-modified");
    const std::string same = get("/a.txt", "If-None-Match: " + tag + "\r\n");
    EXPECT_EQ(status_of_answer(same), 304);
    EXPECT_TRUE(same.ends_with("\r\n\r\n"));
    EXPECT_EQ(status_of_answer(get("/a.txt", "If-Modified-Since: " + date + "\r\n")), 304);
    EXPECT_EQ(status_of_answer(get("/a.txt", "If-None-Match: \"other\"\r\n")), 200);
    const std::string two_lines = "If-None-Match: \"other\"\r\nIf-None-Match: " + tag + "\r\n";
    EXPECT_EQ(status_of_answer(get("/a.txt", two_lines)), 304);
    EXPECT_EQ(status_of_answer(get("/a.txt", "If-Match: \"other\"\r\n")), 412);
    write("a.txt", "unused");
    write("public/a.txt", "hello again, world");
    EXPECT_EQ(status_of_answer(get("/a.txt", "If-None-Match: " + tag + "\r\n")), 200);
}

TEST_P(HttpFiles, are_compressed_for_those_who_take_it) {
    serve_folder();
    const std::string beside = get("/plain.css", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(body_of(beside), "compressed");
    EXPECT_EQ(field_of(beside, "content-encoding"), "gzip");
    EXPECT_EQ(field_of(beside, "content-type"), "text/css; charset=utf-8");
    EXPECT_EQ(body_of(get("/plain.css")), "body {}");
    if (!is_gzip_available()) GTEST_SKIP() << "skipped: no zlib";
    const std::string now = get("/a.txt", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(field_of(now, "content-encoding"), "gzip");
    EXPECT_EQ(field_of(now, "vary"), "Accept-Encoding");
    std::string text;
    GunzipStream gunzip(1000);
    const std::string coded = body_of(now);
    std::string_view left = coded;
    EXPECT_EQ(gunzip.decode(left, text), GunzipStream::State::complete);
    EXPECT_EQ(text, "hello world");
    EXPECT_EQ(field_of(get("/large.bin", "Accept-Encoding: gzip\r\n"), "content-encoding"), "");
}

TEST_P(HttpFiles, are_listed_where_that_is_wanted) {
    serve_folder({.lists_folders = true});
    write("public/<b>&.txt", "");
    link("sub", "public/linked");
    link("none", "public/dangling");
    const std::string page = body_of(get("/"));
    EXPECT_NE(page.find("<a href=\"./a.txt\">a.txt</a>"), std::string::npos);
    EXPECT_NE(page.find("<a href=\"./sub/\">sub/</a>"), std::string::npos);
    EXPECT_NE(page.find("<a href=\"./linked/\">linked/</a>"), std::string::npos);
    EXPECT_NE(page.find("<a href=\"./dangling\">dangling</a>"), std::string::npos);
    EXPECT_NE(page.find("<a href=\"./%3Cb%3E%26.txt\">&lt;b>&amp;.txt</a>"), std::string::npos);
    EXPECT_EQ(page.find("hidden"), std::string::npos);
}

TEST_P(HttpFiles, of_a_folder_behind_a_link_are_found_and_a_folder_that_is_none_is_an_error) {
    link("public", "linked");
    link("none", "dangling");
    open_files(folder + "/linked/../linked/");
    server.get("/*path", [this](Request& request, Response& response) {
        return files->serve(request, response);
    });
    EXPECT_EQ(body_of(get("/a.txt")), "hello world");
    EXPECT_EQ(status_of_answer(get("/link.txt")), 404);
    const auto error = [this](const std::string& name) {
        try {
            open_files(folder + "/" + name);
        } catch (const std::system_error& e) {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
            return static_cast<std::errc>(e.code().value());
        }
        return std::errc{};
    };
    EXPECT_EQ(error("none"), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error("dangling"), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error("secret.txt"), std::errc::not_a_directory);
}

// A stream that is not a socket, as a TLS stream is not.
class OtherStream final : public net::ByteStream {
public:
    explicit OtherStream(net::Connection below) : below_(std::move(below)) {}
    Future<std::size_t> do_read(Bytes into) override { return below_.read(into); }
    Future<void> do_write_pieces(std::span<ConstBytes> pieces) override {
        return below_.write_pieces(pieces);
    }
    Future<void> do_finish() override { return below_.finish(); }

private:
    net::Connection below_;
};

TEST_P(HttpFiles, go_through_a_buffer_where_the_stream_is_no_socket) {
    std::string text(300'000, 'a');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i / 11 % 23);
    write("public/large.bin", text);
    server.over([](net::Connection below) -> Future<std::unique_ptr<net::ByteStream>> {
        co_return std::make_unique<OtherStream>(std::move(below));
    });
    serve_folder();
    EXPECT_EQ(body_of(get("/large.bin")), text);
    EXPECT_EQ(body_of(get("/large.bin", "Range: bytes=70000-\r\n")), text.substr(70000));
    EXPECT_EQ(body_of(get("/a.txt")), "hello world");
}

// The simulated disk, with random delays and short transfers that depend on the seed.
class HttpFilesInVirtualTime : public ServerWorld, public testing::WithParamInterface<int> {
protected:
    HttpFilesInVirtualTime()
        : ServerWorld(
              {.seed = static_cast<std::uint64_t>(GetParam()), .short_transfer_one_in = 2}) {}
    void put_files() {
        platform().put_file("/srv/www/index.html", "<p>index");
        platform().put_file("/srv/www/style.css", "body {}");
        platform().put_file("/srv/www/style.css.gz", "compressed");
        platform().put_file("/srv/www/large.bin", large);
        platform().put_file("/srv/secret.txt", "secret");
        ASSERT_TRUE(platform().file_tree()->symbolic_link("../secret.txt", "/srv/www/out.txt"));
        ASSERT_TRUE(platform().file_tree()->symbolic_link("/srv", "/srv/www/up"));
        ASSERT_TRUE(platform().file_tree()->symbolic_link("large.bin", "/srv/www/in.bin"));
        run([this]() -> Future<void> { files.emplace(co_await StaticFiles::open("/srv/www")); });
        server.get("/*path", [this](Request& request, Response& response) {
            return files->serve(request, response);
        });
    }
    std::string get(const std::string& path, const std::string& fields = "") {
        return exchange("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
    }

    const std::string large = [] {
        std::string text(300'000, 'a');
        for (std::size_t i = 0; i < text.size(); ++i) {
            text[i] = static_cast<char>('a' + i / 11 % 23);
        }
        return text;
    }();
    std::optional<StaticFiles> files;
};

INSTANTIATE_TEST_SUITE_P(Seeds, HttpFilesInVirtualTime, testing::Range(1, 21));

TEST_P(HttpFilesInVirtualTime, are_served_as_from_a_real_disk) {
    const int count_before = descriptor_count();
    put_files();
    EXPECT_EQ(body_of(get("/")), "<p>index");
    EXPECT_TRUE(body_of(get("/large.bin")) == large);
    EXPECT_TRUE(body_of(get("/in.bin")) == large);
    const std::string part = get("/large.bin", "Range: bytes=70000-299000\r\n");
    EXPECT_EQ(status_of_answer(part), 206);
    EXPECT_TRUE(body_of(part) == large.substr(70'000, 229'001));
    EXPECT_EQ(body_of(get("/style.css", "Accept-Encoding: gzip\r\n")), "compressed");
    EXPECT_EQ(body_of(get("/style.css")), "body {}");
    for (const char* path : {"/none", "/out.txt", "/up/secret.txt", "/../secret.txt"}) {
        const std::string answer = get(path);
        EXPECT_EQ(status_of_answer(answer), 404) << path;
        EXPECT_EQ(answer.find("secret"), std::string::npos) << path;
    }
    EXPECT_EQ(descriptor_count(), count_before);
}

// A simulated server does not see the folders of the system.
TEST_P(HttpFilesInVirtualTime, of_the_system_are_not_there) {
    const std::string folder = fs::current_path().string();
    const auto open = [&folder]() -> Future<void> { (void)co_await StaticFiles::open(folder); };
    EXPECT_THROW(run(open), std::system_error);
}

// Slices of files of the simulated disk, in virtual time.
class HttpFileParts : public ServerWorld {
protected:
    // A handler that responds with a slice of this file.
    Handler sends_part(net::FileSlice part) {
        return [this, part](Request&, Response& response) -> Future<void> {
            const Task& self = co_await this_task();
            const OpenDescriptor file(self.executor().loop().platform(),
                                      platform().file_tree()->open_to_read("/file").value());
            net::FileSlice own = part;
            own.file = file.fd();
            co_await response.write_file(own);
        };
    }
};

TEST_F(HttpFileParts, are_answers_of_their_length) {
    platform().put_file("/file", "0123456789");
    const int count_before = descriptor_count();
    server.get("/a", sends_part({.offset = 2, .size_bytes = 5}));
    const std::string answers = exchange(get_a + get_a);
    EXPECT_EQ(bodies_of(answers), (std::vector<std::string>{"23456", "23456"}));
    EXPECT_NE(answers.find("Content-Length: 5\r\n"), std::string::npos);
    const std::string head = exchange("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(head.ends_with("Content-Length: 5\r\n\r\n")) << head;
    EXPECT_EQ(descriptor_count(), count_before);
}

// A client that was announced more bytes must see the truncation: the connection is closed.
TEST_F(HttpFileParts, of_files_that_got_shorter_cut_the_connection) {
    platform().put_file("/file", "0123456789");
    server.get("/a", sends_part({.offset = 5, .size_bytes = 100}));
    const std::string answers = exchange(get_a + get_a);
    EXPECT_NE(answers.find("Content-Length: 100\r\n"), std::string::npos);
    EXPECT_TRUE(answers.ends_with("\r\n\r\n56789")) << answers;
    EXPECT_EQ(server.counts().failed, 1U);
}

TEST_F(HttpFileParts, in_an_answer_of_unknown_length_are_an_error_of_the_handler) {
    platform().put_file("/file", "0123456789");
    server.get("/a", [](Request&, Response& response) -> Future<void> {
        co_await response.write("piece");
        co_await response.write_file({.file = 0, .offset = 0, .size_bytes = 1});
    });
    static_cast<void>(exchange(get_a));
    EXPECT_EQ(server.counts().failed, 1U);
}

TEST_F(HttpFileParts, hold_no_memory_for_a_slow_reader) {
    constexpr std::size_t size = std::size_t{8} << 20U;
    platform().put_file("/file", std::string(size, 'x'));
    server.get("/a", sends_part({.offset = 0, .size_bytes = size}));
    with_server([&](Address at) -> Future<void> {
        net::Connection stream = co_await net::connect(at);
        co_await sleep(std::chrono::seconds(1));
        const std::size_t before = ::mallinfo2().uordblks;
        co_await stream.write(bytes_of(get_a));
        co_await sleep(std::chrono::seconds(1));
        const std::size_t during = ::mallinfo2().uordblks;
        // Includes the 64 KB buffer of the simulated socket; a real one is memory of the kernel.
        EXPECT_LT(during, before + (std::size_t{256} << 10U)) << during - before;
        std::array<std::byte, 16> first{};
        EXPECT_GT(co_await stream.read(first), 0U);
    });
}

// The timeout of a write requires a minimum rate: a slow reader gets a large file, a reader below
// the rate does not.
TEST_F(HttpFileParts, take_as_long_as_their_reader_goes_on) {
    constexpr std::size_t size = std::size_t{1} << 20U;
    platform().put_file("/file", std::string(size, 'x'));
    server.get("/a", sends_part({.offset = 0, .size_bytes = size}));
    for (const bool is_too_slow : {false, true}) {
        std::size_t came = 0;
        with_server([&](Address at) -> Future<void> {
            net::Connection stream = co_await net::connect(at);
            co_await stream.write(bytes_of(get_a));
            std::array<std::byte, 8192> buffer{};
            while (came < size) {
                co_await sleep(std::chrono::seconds(is_too_slow ? 8 : 1));
                const auto read = co_await try_(stream.read(buffer));
                if (!read || *read == 0) break;
                came += *read;
            }
        });
        EXPECT_EQ(came >= size, !is_too_slow) << came;
    }
    EXPECT_EQ(server.counts().timed_out, 1U);
}

}  // namespace
}  // namespace gyre::http
