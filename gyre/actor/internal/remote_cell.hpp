// SPDX-License-Identifier: Apache-2.0
// RemoteCell: the Cell of an actor in another process, as references here see it. Any thread; it
// lives as long as the references to it.
#pragma once

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

#include "gyre/actor/detail/cell.hpp"
#include "gyre/actor/detail/wire.hpp"

namespace gyre::actor {

class RemoteCell final : public Cell, public Pooled {
public:
    RemoteCell(std::unique_ptr<Wire> wire, std::string name, const std::type_info& type)
        : Cell(std::move(wire), std::move(name)), type_(type) {}
    [[nodiscard]] const std::type_info& actor_type() const noexcept override { return type_; }

private:
    ~RemoteCell() override = default;
    void construct() override {}
    void destruct() noexcept override {}
    void destroy() noexcept override { delete this; }

    const std::type_info& type_;
};

}  // namespace gyre::actor
