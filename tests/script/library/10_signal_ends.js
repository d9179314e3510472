// SPDX-License-Identifier: Apache-2.0
// A signal without a listener ends the process.
process.on("exit", () => console.log("no exit event"));
console.log("begin");
process.kill(process.pid, "SIGTERM");
setTimeout(() => console.log("never"), 5000);
