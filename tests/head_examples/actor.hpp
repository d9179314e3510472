// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/actor take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

struct Add {
    int amount = 0;
};
struct Get {};

template <>
struct gyre::actor::Serial<Get> {
    static constexpr const char* name = "Get";
    static void write(const Get& message, std::string& bytes);
    static Result<Get> read(std::string_view bytes);
};
template <>
struct gyre::actor::Serial<int> {
    static constexpr const char* name = "int";
    static void write(const int& message, std::string& bytes);
    static Result<int> read(std::string_view bytes);
};

namespace gyre::actor_examples {

using namespace gyre::actor;
extern System& system;

struct GetLater {
    Duration delay{};
};
class Counter : public Actor<Counter> {
public:
    explicit Counter(int total = 0);
    void handle(Add add);
    int handle(Get get);
};
extern Ref<Counter> counter;

struct Image {};
struct Resize {
    Image image;
};
struct Note {
    std::string text;
};
class Resizer : public Actor<Resizer> {
public:
    void handle(Resize resize);
    void handle(Note note);
};
extern Image image;
extern std::uint64_t user_id;

namespace sender_hpp {
struct Rows {};
struct Query {
    std::string text;
    Sender<Rows> answer_to;
};
class Database : public Actor<Database> {
public:
    void handle(Query query);
};
extern Ref<Database> database;
void use(Rows rows);
}  // namespace sender_hpp

}  // namespace gyre::actor_examples
