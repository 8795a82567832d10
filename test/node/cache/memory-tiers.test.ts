import { createMemoryEdgeCache } from '../../../src/adapters/node/cache/memory-edge-cache.ts';
import { createMemoryBodies } from '../../../src/adapters/shared/memory-bodies.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { edgeCacheContract } from '../../contract/edge-cache.contract.ts';
import { hotMetadataContract } from '../../contract/hot-metadata.contract.ts';
import { createExactHotMetadata } from '../../core/memory-core.ts';

const bodies = { maxBytes: 1 << 20, maxSliceBytes: 65_536 };
edgeCacheContract({
  name: 'memory',
  make: () => createMemoryEdgeCache(createMemoryBodies(bodies)),
});

hotMetadataContract({ name: 'memory, exact', make: () => createExactHotMetadata(systemClock, 60) });
