# SPDX-License-Identifier: Apache-2.0
"""asyncpg's rows of the group db. It does not pipeline: several tasks share a pool of ten connections, which is its default.

A server of its own in a scratch folder, as db_cases.hpp has it; the sizes are those of that file."""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time

import asyncpg

CASES = ["db_point_1", "db_point_16", "db_point_256", "db_stream_row", "db_copy_row"]
ROW_COUNT = 10_000
QUERY = "select name, amount from points where id = $1"
SCHEMA = "create table points (id integer primary key, name text not null, amount integer not null)"
SCRATCH = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "db", "scratch_postgres")


async def ask(pool, begin, end):
    async with pool.acquire() as connection:
        statement = await connection.prepare(QUERY)
        for i in range(begin, end):
            if len(await statement.fetch(i * 7919 % ROW_COUNT)) != 1:
                sys.exit(1)


async def points(pool, tasks, count):
    await ask(pool, 0, 100)
    part = count // tasks
    start = time.perf_counter_ns()
    await asyncio.gather(*(ask(pool, i * part, (i + 1) * part) for i in range(tasks)))
    return (time.perf_counter_ns() - start) / (part * tasks)


async def measure(folder, wanted, quick):
    pool = await asyncpg.create_pool(host=folder, user="postgres", database="postgres", min_size=1, max_size=10)
    async with pool.acquire() as connection:
        await connection.execute(SCHEMA)
        await connection.execute(f"insert into points select i, 'name', i from generate_series(0, {ROW_COUNT - 1}) as t(i)")
    count = 2_000 if quick else 20_000
    for tasks in (1, 16, 256):
        if f"db_point_{tasks}" in wanted:
            yield f"db_point_{tasks}", await points(pool, tasks, count)
    async with pool.acquire() as connection:
        if "db_stream_row" in wanted:
            start = time.perf_counter_ns()
            total = 0
            async with connection.transaction():
                async for row in connection.cursor("select i, 'a row of text' from generate_series(1, 200000) as t(i)",
                                                   prefetch=2000):
                    total += row[0]
            yield "db_stream_row", (time.perf_counter_ns() - start) / 200_000
        if "db_copy_row" in wanted:
            await connection.execute("truncate points")
            count = 10_000 if quick else 100_000
            rows = [(i, "name", i) for i in range(count)]
            start = time.perf_counter_ns()
            await connection.copy_records_to_table("points", records=rows)
            yield "db_copy_row", (time.perf_counter_ns() - start) / count
    await pool.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cases", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o711)
        folder = os.path.join(scratch, "server")
        if subprocess.run([SCRATCH, "start", folder], check=False, stdout=subprocess.DEVNULL).returncode != 0:
            return
        try:
            async for name, value in measure(folder, options.cases.split(","), options.quick):
                print(f"{name}\t{value:.3f}", flush=True)
        finally:
            subprocess.run([SCRATCH, "remove", folder], check=False)


if __name__ == "__main__":
    asyncio.run(main())
