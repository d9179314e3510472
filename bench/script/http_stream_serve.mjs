// SPDX-License-Identifier: Apache-2.0
// Answers with 1 GB in pieces of 64 KiB, as fast as they are taken, by gyre:http; prints its port.
import { serve } from 'gyre:http';

const piece = new Uint8Array(1 << 16).fill(0x78);
const server = serve({ port: 0 }, () => {
  let left = 1 << 14;
  const body = new ReadableStream({
    pull(controller) {
      if (left > 0) controller.enqueue(piece);
      else controller.close();
      left -= 1;
    },
  });
  return new Response(body, { headers: { 'content-length': `${1 << 30}` } });
});
await server.listening;
console.log(server.port);
