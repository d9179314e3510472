// SPDX-License-Identifier: Apache-2.0
// Node's rows of the group http. Runs until it is killed.
//
//     node node_http.mjs PORT FOLDER [CERTIFICATE KEY]
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createEncrypted } from "node:https";
import { join } from "node:path";

const [port, folder, certificate, key] = process.argv.slice(2);
const text = "Hello, World!";

function answer(request, response) {
    if (request.url === "/plaintext") {
        response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": text.length });
        response.end(text);
        return;
    }
    const path = join(folder, request.url);
    response.writeHead(200, {
        "Content-Type": "application/octet-stream",
        "Content-Length": statSync(path).size,
    });
    createReadStream(path).pipe(response);
}

const server = certificate
    ? createEncrypted({ cert: readFileSync(certificate), key: readFileSync(key) }, answer)
    : createServer(answer);
server.keepAliveTimeout = 65000;
server.listen(Number(port), "127.0.0.1", 4096);
