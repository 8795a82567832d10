// Derived bytes over a Map in the place of a disk: for tests, benches and the
// simulator.
import { StorageError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/system.ts';
import { compressRecipe } from '../shared/compress-recipe.ts';
import {
  createDerivedBodies,
  type SharedDerivedBodies,
  type StoredDerived,
} from '../shared/derived-bodies.ts';

/** Makes the tier. `memoryMaxBytes` 0: every look-up goes to the Map. */
export function createMemoryDerived(
  clock: Clock,
  memoryMaxBytes = 1024 * 1024,
): SharedDerivedBodies {
  const stored = new Map<string, StoredDerived>();
  return createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes,
    store: {
      get: async (name) => stored.get(name) ?? null,
      put: async (name, made) => void stored.set(name, made),
    },
    derive(source, recipe) {
      if (recipe.kind === 'coding') return compressRecipe(source, recipe, 'brief');
      return Promise.reject(
        new StorageError('NotImplemented', { detail: 'No images are made here.' }),
      );
    },
    clock,
    background: { run: (_label, work) => void work().catch(() => undefined) },
    limits: {
      coding: { concurrency: 2, waitingMax: 16, slotMs: 60_000 },
      image: { concurrency: 1, waitingMax: 4, slotMs: 60_000 },
    },
    sharesWork: true,
  });
}
