// SPDX-License-Identifier: Apache-2.0
// In the script of a worker (lang/script/threads): what its parent has given.
'use strict';
const given = shelf.base.natives.workerSetup?.();
if (given !== undefined) {
  shelf.isWorker = true;
  shelf.workerSetup = shelf.base.JSON.parse(given);
  shelf.load('worker_start');
}
