// SPDX-License-Identifier: Apache-2.0
// In a child that was forked: the channel to its parent. Its own children are not told of it.
'use strict';
const { base, process: self } = shelf;
const { NODE_CHANNEL_FD: channel, NODE_CHANNEL_SERIALIZATION_MODE: form } = base.config.env;
if (channel !== undefined && !shelf.isWorker && !base.config.sandbox) {
  delete self.env.NODE_CHANNEL_FD;
  delete self.env.NODE_CHANNEL_SERIALIZATION_MODE;
  if (base.natives.netInherit !== undefined && 'stream' in shelf.builtins && /^\d{1,4}$/.test(channel)) {
    shelf.load('child_channel');
    shelf.openOwnChannel(Number(channel), form);
  }
}
