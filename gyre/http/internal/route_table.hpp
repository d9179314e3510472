// SPDX-License-Identifier: Apache-2.0
// RouteTable: maps a method and a path to the number of a route. The syntax of patterns is at
// Server::route. No regular expressions: a lookup visits each node at most once, and finds a word
// among the others of its place by halving. Paths are matched as they were sent; parameters are still percent-encoded. Filled before the server starts, then
// read on its loop's thread.
//
//     RouteTable table;
//     table.add(Method::get, "/users/:id");              // 0
//     table.find(Method::get, "/users/7").param("id")    // "7"
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/http/message.hpp"
#include "gyre/http/request.hpp"

namespace gyre::http {

inline constexpr std::size_t route_segment_count_max = 32;

class RouteTable {
public:
    RouteTable();
    ~RouteTable();
    RouteTable(RouteTable&&) noexcept;
    RouteTable& operator=(RouteTable&&) noexcept;

    // Returns the number of the route: 0, 1, 2... Throws Failure for a pattern that
    // is malformed or registered already.
    std::size_t add(Method method, std::string_view pattern);
    // A HEAD uses the route of GET unless it has its own.
    [[nodiscard]] RouteMatch find(Method method, std::string_view path) const noexcept {
        RouteMatch found;
        find(method, path, found);
        return found;
    }
    // Fills a new match in its place: it is too large to copy for each request.
    void find(Method method, std::string_view path, RouteMatch& found) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    struct Node;

    [[nodiscard]] static bool match(const Node& node, std::string_view path, bool has_rest,
                                    RouteMatch& found, const Node*& at) noexcept;
    static Node& child_for(Node& parent, std::string_view segment, std::string_view pattern);

    std::unique_ptr<Node> root_;
    std::size_t count_ = 0;
};

}  // namespace gyre::http
