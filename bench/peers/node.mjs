// SPDX-License-Identifier: Apache-2.0
// Node's rows of the groups kernel, job and io (node_echo.mjs). For kernel: setTimeout, clearTimeout, refresh, on the real clock.
//
// Insert, cancel and re-arm use the common delays (1 ms .. 10 s) and never reach the event loop's
// timer phase in between. Firing cannot move the clock, so it uses delays of 1 .. 500 ms and blocks
// until all are due; the time runs from the first callback to the last. In the steady case more
// comes due than can be fired, so the loop is never idle. One thread.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { echoEntries } from "./node_echo.mjs";

const mask = (1n << 64n) - 1n;

// The same numbers as bench/workload.hpp, in milliseconds, up to `longestMs`.
function delaysMs(count, seed, longestMs) {
    const range = BigInt(longestMs - 1) * 1000000n;
    const result = new Float64Array(count);
    let state = BigInt(seed);
    for (let i = 0; i < count; ++i) {
        state = (state + 0x9e3779b97f4a7c15n) & mask;
        let z = state;
        z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
        z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
        result[i] = 1 + Math.ceil(Number((z ^ (z >> 31n)) % range) / 1e6);
    }
    return result;
}

const nowNs = () => Number(process.hrtime.bigint());

function collectGarbage() {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
}

const nothing = () => {};

function insertAndCancel(report, count) {
    const delays = delaysMs(count, 1, 10000);
    const timers = new Array(count).fill(null);
    collectGarbage();
    const bytesBefore = process.memoryUsage().heapUsed;
    let start = nowNs();
    for (let i = 0; i < count; ++i) timers[i] = setTimeout(nothing, delays[i]);
    report("timers_insert", (nowNs() - start) / count);
    collectGarbage();
    report("memory_timer", (process.memoryUsage().heapUsed - bytesBefore) / count);

    start = nowNs();
    for (let i = 0; i < count; i += 2) clearTimeout(timers[i]);
    report("timers_cancel", (nowNs() - start) / (count / 2));
    for (const timer of timers) clearTimeout(timer);
}

function rearm(report, count) {
    const delays = delaysMs(count, 1, 10000);
    const timers = Array.from(delays, (delay) => setTimeout(nothing, delay));
    const start = nowNs();
    for (const timer of timers) timer.refresh();
    report("timers_rearm", (nowNs() - start) / count);
    for (const timer of timers) clearTimeout(timer);
}

function fire(report, allCount) {
    const count = allCount / 2;
    return new Promise((resolve) => {
        let start = 0;
        let firedCount = 0;
        const onFire = () => {
            if (firedCount === 0) start = nowNs();
            if (++firedCount < count) return;
            report("timers_fire", (nowNs() - start) / count);
            resolve();
        };
        for (const delay of delaysMs(count, 1, 500)) setTimeout(onFire, delay);
        const dueAt = nowNs() + 510e6;
        while (nowNs() < dueAt) continue;
    });
}

function refire(report, count) {
    const restartDelays = delaysMs(count, 2, 500);
    return new Promise((resolve) => {
        let start = 0;
        let firedCount = 0;
        const onFire = () => {
            if (firedCount === 0) start = nowNs();
            if (firedCount > count) return;
            setTimeout(onFire, restartDelays[firedCount % count]);
            if (++firedCount <= count) return;
            report("timers_refire", (nowNs() - start) / firedCount);
            resolve();
        };
        for (const delay of delaysMs(count, 1, 500)) setTimeout(onFire, delay);
    });
}

const jobsPerSample = 10_000;
const sampleCount = 50;

// Group job: the best of many samples, each timed from its first job to its last.
async function sample(report, name, begin) {
    let best = Infinity;
    for (let i = 0; i < sampleCount; ++i) {
        const taken = await new Promise((resolve) => {
            let left = jobsPerSample;
            let start = nowNs();
            const count = () => {
                if (--left > 0) return true;
                resolve(nowNs() - start);
                return false;
            };
            const begun = () => {
                if (left === jobsPerSample) start = nowNs();
            };
            setImmediate(() => {
                start = nowNs();
                begin(count, begun);
            });
        });
        best = Math.min(best, taken / jobsPerSample);
    }
    report(name, best);
}

function chainOf(name, queue) {
    return (report) =>
        sample(report, name, (count) => {
            const step = () => {
                if (count()) queue(step);
            };
            step();
        });
}

function immediates(report) {
    return sample(report, "job_immediate", (count) => {
        for (let i = 0; i < jobsPerSample; ++i) setImmediate(count);
    });
}

async function timersAmongMany(report) {
    const pending = Array.from({ length: 100_000 }, (_, i) =>
        setTimeout(nothing, 3_600_000 + (i % 1000)));
    await sample(report, "job_timer", (count, begun) => {
        const onFire = () => {
            begun();
            count();
        };
        for (let i = 0; i < jobsPerSample; ++i) setTimeout(onFire, 1);
        const dueAt = nowNs() + 2.5e6;
        while (nowNs() < dueAt) continue;
    });
    for (const timer of pending) clearTimeout(timer);
}

const entries = [
    ...echoEntries,
    { cases: ["job_microtask"], measure: chainOf("job_microtask", queueMicrotask) },
    { cases: ["job_tick"], measure: chainOf("job_tick", process.nextTick) },
    { cases: ["job_immediate"], measure: immediates },
    { cases: ["job_timer"], measure: timersAmongMany },
    { cases: ["timers_insert", "timers_cancel", "memory_timer"], measure: insertAndCancel },
    { cases: ["timers_fire"], measure: fire },
    { cases: ["timers_rearm"], measure: rearm },
    // Last: it leaves timers behind.
    { cases: ["timers_refire"], measure: refire },
];

const program = process.argv.slice(2);
if (program.includes("--list")) {
    console.log(entries.flatMap((entry) => entry.cases).join("\n"));
} else if (program.includes("--cases")) {
    const wanted = program[program.indexOf("--cases") + 1].split(",");
    const count = program.includes("--quick") ? 100_000 : 1_000_000;
    for (const { cases, measure } of entries) {
        if (!cases.some((name) => wanted.includes(name))) continue;
        await measure((name, value) => {
            if (wanted.includes(name)) process.stdout.write(`${name}\t${value.toFixed(3)}\n`);
        }, count);
    }
    process.exit(0);
} else {
    console.error("usage: node.mjs --list | --cases a,b,c [--quick]");
    process.exit(2);
}
