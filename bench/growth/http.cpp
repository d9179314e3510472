// SPDX-License-Identifier: Apache-2.0
// The routes of an HTTP server, and the fields of a request.
#include <string>

#include "bench/growth/subjects.hpp"
#include "gyre/http/internal/head_parser.hpp"
#include "gyre/http/internal/route_table.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

// The route of a path with a parameter, among others that differ in their first segment.
void routes(Meter& meter, std::size_t count) {
    std::vector<std::string> paths;
    const HeapMeter heap;
    http::RouteTable table;
    for (std::size_t i = 0; i < count; ++i) {
        table.add(http::Method::get, "/resource" + std::to_string(i) + "/:id");
    }
    meter.report_bytes(heap.bytes_per(count));
    for (std::size_t i = 0; i < count; ++i) paths.push_back("/resource" + std::to_string(i) + "/7");
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                const auto found = table.find(http::Method::get, paths[picks.next()]);
                if (found.param("id") != "7") std::abort();
            }
        });
    }
}

// The head of a request, for each of its fields.
void request_fields(Meter& meter, std::size_t count) {
    std::string text = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    for (std::size_t i = 1; i < count; ++i) text += "X-Field-" + std::to_string(i) + ": value\r\n";
    text += "\r\n";
    http::RequestParser parser({.head_bytes_max = static_cast<std::uint32_t>(text.size() + 1),
                                .field_count_max = static_cast<std::uint32_t>(count)});
    while (meter.goes_on()) {
        meter.measure(count, [&] {
            parser.reset();
            if (parser.parse(text) != http::ParseState::complete) std::abort();
        });
    }
}

}  // namespace

std::vector<Subject> http_subjects() {
    return {
        {"routes", 100'000, routes},
        {"request_fields", million, request_fields},
    };
}

}  // namespace gyre::bench
