import { createMemoryEdgeCache } from '../../src/adapters/node/memory-edge-cache.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { edgeCacheContract } from '../contract/edge-cache.contract.ts';
import { hotMetadataContract } from '../contract/hot-metadata.contract.ts';

const bodies = { maxBytes: 1 << 20, maxSliceBytes: 65_536 };
edgeCacheContract({ name: 'memory', make: () => createMemoryEdgeCache(createMemoryBodies(bodies)) });

const hot = { clock: systemClock, maxEntries: 1000, maxBytes: 1 << 20, negativeFreshSeconds: 60 };
hotMetadataContract({ name: 'memory, exact', make: () => createMemoryHotMetadata({ ...hot, maxAgeSeconds: null }) });
hotMetadataContract({ name: 'memory, aging', make: () => createMemoryHotMetadata({ ...hot, maxAgeSeconds: 60 }) });
