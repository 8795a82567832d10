import { createMemoryEdgeCache } from '../../src/adapters/shared/memory-edge-cache.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { edgeCacheContract } from '../contract/edge-cache.contract.ts';
import { hotMetadataContract } from '../contract/hot-metadata.contract.ts';

edgeCacheContract({ name: 'memory', make: () => createMemoryEdgeCache({ maxBytes: 1 << 20, maxBodyBytes: 65_536 }) });

const hot = { clock: systemClock, maxEntries: 1000, maxBytes: 1 << 20, negativeFreshSeconds: 60 };
hotMetadataContract({ name: 'memory, exact', make: () => createMemoryHotMetadata({ ...hot, maxAgeSeconds: null }) });
hotMetadataContract({ name: 'memory, aging', make: () => createMemoryHotMetadata({ ...hot, maxAgeSeconds: 60 }) });
