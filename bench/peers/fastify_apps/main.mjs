// SPDX-License-Identifier: Apache-2.0
// The applications of bench/apps on Node with fastify. Runs until it is killed.
//
//     node main.mjs PORT UPSTREAM_PORT
import { Agent, get } from "node:http";
import fastify from "fastify";

const [port, upstream] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
const app = fastify();
let count = 0;

app.addHook("onRequest", (request, reply, done) => {
    ++count;
    done();
});

app.get("/users/:id/posts/:post", (request, reply) => {
    reply.type("text/plain").send(`user ${request.params.id} post ${request.params.post}`);
});

const number = { type: "number" };
const item = { type: "object", properties: { price: number, count: number } };
const schema = {
    body: { type: "object", properties: { customer: { type: "string" }, items: { type: "array", items: item } } },
    response: { 200: { type: "object", properties: { customer: { type: "string" }, count: number, total: number } } },
};
app.post("/orders", { schema }, (request, reply) => {
    const answer = { customer: request.body.customer, count: 0, total: 0 };
    for (const { price, count } of request.body.items) {
        answer.count += count;
        answer.total += price * count;
    }
    reply.send(answer);
});

app.get("/proxy/*", (request, reply) => {
    get({ host: "127.0.0.1", port: upstream, path: `/${request.params["*"]}`, agent }, (answer) => {
        reply.code(answer.statusCode).headers(answer.headers).send(answer);
    }).on("error", () => reply.code(502).send("no answer"));
});

await app.listen({ port: Number(port), host: "127.0.0.1", backlog: 4096 });
