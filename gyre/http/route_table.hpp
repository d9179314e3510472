// SPDX-License-Identifier: Apache-2.0
// RouteTable: which number serves a method and a path. A pattern is made of segments: a word stands
// for itself, `:name` for any one segment that is not empty, and `*name` at the end for the rest,
// slashes included. A word is tried before a name, a name before the rest. No regular expressions:
// a look visits each node of the table at most once. Paths are matched as they were sent; what was
// found in them is still percent-encoded. Filled before the server starts, read by its loop.
//
//     RouteTable table;
//     table.add(Method::get, "/users/:id");              // 0
//     table.find(Method::get, "/users/7").param("id")    // "7"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/http/message.hpp"

namespace gyre::http {

inline constexpr std::size_t route_param_count_max = 8;
inline constexpr std::size_t route_segment_count_max = 32;

class RouteMatch {
public:
    enum class Kind : std::uint8_t { found, no_path, no_method };

    Kind kind = Kind::no_path;
    std::size_t route = 0;  // where found
    // Empty where the route has none of that name.
    [[nodiscard]] std::string_view param(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t param_count() const noexcept { return param_count_; }
    // Where the path is served, but not with this method: what an Allow field says.
    std::string_view allowed;

private:
    friend class RouteTable;

    struct Param {
        const std::string* name;  // the table's
        const char* value;        // in the path
        std::size_t size;
    };
    void add(const std::string& name, std::string_view value) noexcept {
        params_[param_count_++] = {&name, value.data(), value.size()};
    }

    std::size_t param_count_ = 0;
    std::array<Param, route_param_count_max> params_;  // the others are not even zeros
};

class RouteTable {
public:
    RouteTable();
    ~RouteTable();
    RouteTable(RouteTable&&) noexcept;
    RouteTable& operator=(RouteTable&&) noexcept;

    // Gives the number of the route: 0, 1, 2... std::invalid_argument for a pattern that is
    // malformed, or whose place is taken.
    std::size_t add(Method method, std::string_view pattern);
    // A HEAD is served by the route of GET where it has none of its own.
    [[nodiscard]] RouteMatch find(Method method, std::string_view path) const noexcept;
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
