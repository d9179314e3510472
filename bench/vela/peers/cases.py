# SPDX-License-Identifier: Apache-2.0
"""The cases of bench/vela/cases.vela in Python: NAME N; prints the result and milliseconds."""
import asyncio
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def loops(n):
    total = 0
    for i in range(n):
        for j in range(n):
            total = total + (i * j) % 7
    return total


def floats(n):
    x = 0.5
    for _ in range(n):
        x = 3.7 * x * (1.0 - x)
    return x


def text(n):
    parts = []
    for i in range(n):
        parts.append(f"item {i};")
    return len("".join(parts))


def lists(n):
    items = []
    for i in range(n):
        items.append(i * 7 % 1000)
    total = 0
    for i in range(len(items)):
        total = total + items[i]
    for x in items:
        total = total + x
    for i in range(n):
        items[i] = total % 10 + i
    return total + len([x for x in map(lambda x: x * 2, items) if x % 3 == 0])


def maps(n):
    numbers = {}
    for i in range(n):
        numbers[i * 17 % 50021] = i
    total = 0
    for i in range(n):
        value = numbers.get(i)
        if value is not None:
            total = total + value
    words = {}
    for i in range(n):
        key = f"k{i % 1000}"
        words[key] = words.get(key, 0) + 1
    return total + len(words)


def sort(n):
    items, seed = [], 42
    for _ in range(n):
        seed = (seed * 1103515 + 12345) % 2147483648
        items.append(seed)
    items.sort()
    return items[n // 2]


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def add(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def length(self):
        return self.x + self.y


def objects(n):
    p, one_more, total = Point(0, 0), Point(1, 2), 0
    for _ in range(n):
        p = p.add(one_more)
        total = total + p.length() % 10
    return total


def closures(n):
    total = 0
    f = lambda x: x + 1  # noqa: E731
    for _ in range(n):
        total = f(total)
    return total


async def one(n):
    return n


async def settled(n):
    ready = asyncio.get_running_loop().create_future()
    ready.set_result(1)
    total = await ready
    for _ in range(n):
        total = total + await ready
    return total


async def ready(n):
    total = 0
    for i in range(n):
        total = total + await one(i)
    return total


async def spawn(n):
    total = 0
    for i in range(n):
        total = total + await asyncio.create_task(one(i))
    return total


async def tasks(n):
    everyone = [asyncio.create_task(one(i)) for i in range(n)]
    total = 0
    for task in everyone:
        total = total + await task
    return total


async def wake(n):
    async def wait(future):
        return await future

    total = 0
    for i in range(n):
        future = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(wait(future))
        future.set_result(i)
        total = total + await task
    return total


def main():
    case, n = globals()[sys.argv[1]], int(sys.argv[2])
    started = time.perf_counter()
    result = asyncio.run(case(n)) if asyncio.iscoroutinefunction(case) else case(n)
    print(result)
    print((time.perf_counter() - started) * 1000)


main()
