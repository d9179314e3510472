// SPDX-License-Identifier: Apache-2.0
// Answers every request with one line, by gyre:http; prints its port.
import { serve } from 'gyre:http';

const server = serve({ port: 0 }, () => new Response('Hello, World!', { headers: { 'content-type': 'text/plain' } }));
await server.listening;
console.log(server.port);
