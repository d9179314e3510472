// SPDX-License-Identifier: Apache-2.0
// Thing: a value on the heap of a Vela program, and its kinds that hold data. thing_async.hpp has
// those that wait. One thread: that of the heap, which owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/assert.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/run/internal/word.hpp"

namespace gyre::vela::vm {

class Marker;
struct Function;
struct Shape;

enum class Kind : std::uint8_t {
    boxed_number,
    boxed_real,
    text,
    bytes,
    tuple,
    list,
    queue,
    range,
    map,
    set,
    variant,
    instance,
    closure,
    cell,
    items_left,
    future,
    task_handle,
    promise,
    stream,
    actor_ref,
    timer,
    group,
    task,
    host,
};

struct Thing {
    explicit Thing(Kind of) noexcept : kind(of) {}
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    virtual ~Thing() = default;
    // Marks the things that it holds.
    virtual void trace(Marker& /*marker*/) {}
    // Bytes it owns outside of its own memory.
    [[nodiscard]] virtual std::size_t outside_bytes() const noexcept { return 0; }

    Thing* next_on_heap = nullptr;
    std::uint32_t size_bytes = 0;
    const Kind kind;
    bool is_marked = false;
};

struct Boxed final : Thing {
    explicit Boxed(std::int64_t number) noexcept : Thing(Kind::boxed_number) {
        value.number = number;
    }
    explicit Boxed(double real) noexcept : Thing(Kind::boxed_real) { value.real = real; }
    Slot value;
};

struct Text : Thing {
    explicit Text(std::string of, Kind as = Kind::text) noexcept : Thing(as), text(std::move(of)) {}
    [[nodiscard]] std::size_t outside_bytes() const noexcept override { return text.capacity(); }
    const std::string text;
};

// The path of a request: a match of its pattern sets the parameters of the request.
struct RoutePath final : Text {
    explicit RoutePath(std::string of) noexcept : Text(std::move(of)) { is_route = true; }
    void trace(Marker& marker) override;
    Word params;  // a Table

    bool is_route = false;
};

struct Tuple final : Thing {
    explicit Tuple(std::vector<Word> of) noexcept : Thing(Kind::tuple), items(std::move(of)) {}
    void trace(Marker& marker) override;
    [[nodiscard]] std::size_t outside_bytes() const noexcept override {
        return items.capacity() * sizeof(Word);
    }
    std::vector<Word> items;
};

// A List or a Queue. A Queue is read at `head`.
struct List final : Thing {
    explicit List(std::vector<Word> of = {}, Kind as = Kind::list) noexcept
        : Thing(as), items(std::move(of)) {}
    void trace(Marker& marker) override;
    [[nodiscard]] std::size_t outside_bytes() const noexcept override {
        return items.capacity() * sizeof(Word);
    }
    [[nodiscard]] std::size_t size() const noexcept { return items.size() - head; }
    [[nodiscard]] std::span<Word> all() noexcept { return std::span(items).subspan(head); }

    std::vector<Word> items;
    std::size_t head = 0;
};

struct Range final : Thing {
    Range(std::int64_t from, std::int64_t to, bool with_last) noexcept
        : Thing(Kind::range), first(from), last(to), is_inclusive(with_last) {}
    [[nodiscard]] std::uint64_t count() const noexcept {
        if (last < first) return 0;
        const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        return distance + (is_inclusive ? 1 : 0);
    }
    std::int64_t first;
    std::int64_t last;
    bool is_inclusive;
};

// A Map or a Set: entries in the order of insertion, with an index by hash.
struct Table final : Thing {
    struct Entry {
        Word key;  // missing: the entry was removed
        Word value;
        std::uint64_t hash = 0;
    };

    explicit Table(Kind as) noexcept : Thing(as) {}
    void trace(Marker& marker) override;
    [[nodiscard]] std::size_t outside_bytes() const noexcept override {
        return entries.capacity() * sizeof(Entry) + index.capacity() * sizeof(std::uint32_t);
    }
    [[nodiscard]] std::size_t size() const noexcept { return live_count; }
    [[nodiscard]] Entry* find(Word key);
    // True if the key is new.
    bool set(Word key, Word value);
    bool remove(Word key);

    std::vector<Entry> entries;

private:
    void rebuild();
    [[nodiscard]] std::size_t place_of(Word key, std::uint64_t hash) const;

    std::vector<std::uint32_t> index;  // entry number plus 1; 0: free. Empty while it is small
    std::size_t live_count = 0;
};

// A value of any enum, with Option and Result. One without a payload exists once.
struct Variant final : Thing {
    Variant(const VariantInfo* of, std::span<const Word> with) noexcept
        : Thing(Kind::variant), info(of), count(static_cast<std::uint32_t>(with.size())) {
        for (std::size_t i = 0; i < with.size(); ++i) payload()[i] = with[i];
    }
    void trace(Marker& marker) override;
    static std::size_t tail_bytes(const VariantInfo* /*of*/, std::span<const Word> with) noexcept {
        return with.size() * sizeof(Word);
    }
    [[nodiscard]] Word* payload() noexcept { return reinterpret_cast<Word*>(this + 1); }
    [[nodiscard]] std::span<Word> all() noexcept { return {payload(), count}; }

    const VariantInfo* info;
    std::uint32_t count;
};

// An object of a struct, class, actor or error. The fields of the base class come first.
struct Instance final : Thing {
    explicit Instance(const Shape& of) noexcept;
    void trace(Marker& marker) override;
    static std::size_t tail_bytes(const Shape& of) noexcept;
    [[nodiscard]] Slot* slots() noexcept { return reinterpret_cast<Slot*>(this + 1); }
    [[nodiscard]] Word field(std::size_t i) noexcept { return slots()[i].word(); }

    const Shape* shape;
    std::uint32_t slot_count;
    // Of a spawned actor: its reference; of an object that implements Future: the body that polls it.
    Thing* actor = nullptr;
};

// A function of the program with its captures; or a native function or the constructor of a
// variant as a value, with the object of a bound method as the only capture.
struct Closure final : Thing {
    Closure(const Function* of, std::span<const Slot> with) noexcept;
    Closure(const FunctionInfo* of, std::span<const Slot> with) noexcept;
    void trace(Marker& marker) override;
    template <class Of>
    static std::size_t tail_bytes(const Of* /*of*/, std::span<const Slot> with) noexcept {
        return with.size() * sizeof(Slot);
    }
    [[nodiscard]] Slot* captures() noexcept { return reinterpret_cast<Slot*>(this + 1); }

    const Function* function = nullptr;
    const FunctionInfo* native = nullptr;
    std::uint32_t count = 0;
    bool is_bound = false;  // the first capture is the first argument
};

// A variable that functions share.
struct Cell final : Thing {
    Cell() noexcept : Thing(Kind::cell) {}
    void trace(Marker& marker) override;
    Word value;
};

// The rest of a loop over a sequence.
struct ItemsLeft final : Thing {
    ItemsLeft() noexcept : Thing(Kind::items_left) {}
    void trace(Marker& marker) override;
    [[nodiscard]] std::size_t outside_bytes() const noexcept override {
        return items.capacity() * sizeof(Word);
    }
    std::vector<Word> items;
    std::size_t next = 0;
    // Of a range: the next number, and how many are left.
    std::int64_t number = 0;
    std::uint64_t number_count = 0;
};

// An object of the host: a server, a connection.
struct HostThing : Thing {
    explicit HostThing(const TypeInfo* of) noexcept : Thing(Kind::host), type(of) {}
    const TypeInfo* const type;
};

// The thing of a word as a kind that its static type promises. A word that breaks the promise is a
// fault of the checker or the machine.
[[noreturn, gnu::cold]] void wrong_kind(Word word, const char* wanted);
template <class T>
[[nodiscard]] T& as(Word word, Kind kind) {
    Thing* thing = word.thing();
    if (thing == nullptr || thing->kind != kind) [[unlikely]]
        wrong_kind(word, "another kind");
    return *static_cast<T*>(thing);
}
[[nodiscard]] inline bool is_kind(Word word, Kind kind) noexcept {
    const Thing* thing = word.thing();
    return thing != nullptr && thing->kind == kind;
}
[[nodiscard]] inline bool is_list(Word word) noexcept {
    return is_kind(word, Kind::list) || is_kind(word, Kind::queue);
}
[[nodiscard]] inline bool is_table(Word word) noexcept {
    return is_kind(word, Kind::map) || is_kind(word, Kind::set);
}

[[nodiscard]] std::int64_t number_of(Word word);
[[nodiscard]] bool is_number(Word word) noexcept;
// Of a Float; a Number is widened.
[[nodiscard]] double real_of(Word word);
[[nodiscard]] bool truth_of(Word word);
[[nodiscard]] const std::string& text_of(Word word);

// As `==` compares: numbers across kinds, classes and functions by identity, the rest by parts.
[[nodiscard]] bool are_equal(Word a, Word b);
[[nodiscard]] std::uint64_t hash_of(Word word, int depth = 0);
// The size of a String.
inline constexpr std::size_t text_bytes_max = std::size_t{1} << 28U;
// As `print` shows it: a String verbatim, inside other values quoted. Longer than a String: cut.
[[nodiscard]] std::string printed(Word word);
// The same with a String quoted, as a program writes it.
[[nodiscard]] std::string written(Word word);

}  // namespace gyre::vela::vm
