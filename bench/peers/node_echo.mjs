// SPDX-License-Identifier: Apache-2.0
// Node's rows of the group io: a net.Server, on one core with the client (see bench/echo_cases.hpp).
import { execFile, execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";

function ownCpuNs() {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1000;
}

async function measure(report, requests, size, connections) {
    execFileSync("taskset", ["-a", "-p", "-c", "0", String(process.pid)]);
    const server = createServer((socket) => {
        socket.on("data", (data) => socket.write(data));
        socket.on("error", () => {});
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
    const client = process.env.GYRE_BENCH_ECHO_CLIENT;
    const sizes = [server.address().port, size, connections, requests].map(String);
    const before = ownCpuNs();
    const { stdout } = await promisify(execFile)(client, sizes);
    report(`echo_${size}_${connections}`, (ownCpuNs() - before) / requests);
    report(`echo_p99_${size}_${connections}`, Number(stdout));
    server.close();
}

export const echoEntries = [64, 16384].flatMap((size) =>
    [1, 64, 1024].map((connections) => ({
        cases: [`echo_${size}_${connections}`, `echo_p99_${size}_${connections}`],
        measure: (report, count) => measure(report, count / 10, size, connections),
    })));
