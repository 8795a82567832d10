// The writer thread of the index on a machine whose clock jumps when a test says so. The code under
// test is the real one.
import { workerData } from 'node:worker_threads';

const jumpMs = new Float64Array((workerData as { jump: SharedArrayBuffer }).jump);
const { now } = Date;
Date.now = () => now() + (jumpMs[0] ?? 0);

await import('../../../src/adapters/node/index/index-writer.ts');
