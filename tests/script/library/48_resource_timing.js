// SPDX-License-Identifier: Apache-2.0
// Entries of fetches in the timeline, which packages that fetch by themselves record.
const { performance, PerformanceResourceTiming, PerformanceObserver } = require('perf_hooks');
const times = {
  startTime: 1, endTime: 10, redirectStartTime: 0, redirectEndTime: 0, postRedirectStartTime: 2, finalServiceWorkerStartTime: 0,
  finalNetworkRequestStartTime: 3, finalNetworkResponseStartTime: 4, encodedBodySize: 5, decodedBodySize: 6,
  finalConnectionTimingInfo: { domainLookupStartTime: 5, domainLookupEndTime: 6, connectionStartTime: 7, connectionEndTime: 8, secureConnectionStartTime: 9, ALPNNegotiatedProtocol: 'http/1.1' },
};
const entry = performance.markResourceTiming(times, 'http://one/', 'fetch', globalThis, '');
console.log(entry, entry instanceof PerformanceResourceTiming, JSON.stringify(entry));
const names = () => performance.getEntriesByType('resource').map((one) => one.name);
performance.clearResourceTimings('http://other/');
console.log(names(), performance.getEntriesByName('http://one/').length);
performance.clearResourceTimings();
console.log(names());
console.log(performance.markResourceTiming({ ...times, finalConnectionTimingInfo: null }, 'http://two/', 'fetch', globalThis, 'local').transferSize);
try { new PerformanceResourceTiming(); } catch (error) { console.log(error.name, error.code, error.message); }
performance.setResourceTimingBufferSize(1);
performance.addEventListener('resourcetimingbufferfull', (event) => console.log(event.type, names()));
new PerformanceObserver((list) => console.log('observed', list.getEntries().map((one) => one.name))).observe({ type: 'resource' });
performance.markResourceTiming(times, 'http://three/', 'fetch', globalThis, '');
console.log(process.allowedNodeEnvironmentFlags instanceof Set, process.allowedNodeEnvironmentFlags.add('x').has('x'), Object.isFrozen(process.allowedNodeEnvironmentFlags));
