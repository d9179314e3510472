// SPDX-License-Identifier: Apache-2.0
// Reads a JSON body, and answers with it and one member more, by gyre:http; prints its port.
import { serve } from 'gyre:http';

const server = serve({ port: 0 }, async (request) => Response.json({ ...await request.json(), isEcho: true }));
await server.listening;
console.log(server.port);
