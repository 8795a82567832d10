// What the small ports must do: ids, clock, background, log and meter.
import { describe, expect } from 'vitest';
import type { AccountId, BucketId } from '../../src/domain/nouns.ts';
import type { Ports } from '../../src/ports/index.ts';
import { type Subject, testsOf } from './subject.ts';

export type SystemPorts = Pick<Ports, 'ids' | 'clock' | 'background' | 'log' | 'meter'>;

const owner = 'photos~0123456789' as BucketId;

/** Runs the contract. */
export function systemContract(subject: Subject<SystemPorts>): void {
  const test = testsOf(subject);

  describe(`system: ${subject.name}`, () => {
    test('the clock says milliseconds of this century', async ({ clock }) => {
      expect(clock.nowMs()).toBeGreaterThan(Date.UTC(2020, 0));
      expect(clock.nowMs()).toBeLessThan(Date.UTC(2100, 0));
    });

    test('ids are unique and in the order of their making, also within a millisecond', async ({
      ids,
    }) => {
      const makers: (() => string)[] = [
        ids.versionId,
        ids.uploadId,
        ids.bucketId,
        () => ids.blobId(owner),
      ];
      for (const make of makers) {
        const made = Array.from({ length: 5000 }, make);
        expect(new Set(made).size).toBe(5000);
        expect([...made].sort()).toEqual(made);
      }
    });

    test('ids are plain lower-case letters and digits, all of one length', async ({ ids }) => {
      const made = Array.from({ length: 100 }, ids.versionId);
      for (const id of made) expect(id).toMatch(/^[a-z0-9]+$/);
      expect(new Set(made.map((id) => id.length)).size).toBe(1);
      expect(ids.blobId(owner)).toMatch(/^photos~0123456789\/[a-z0-9]+$/);
    });

    test('ids have at least 74 bits that nobody can guess', async ({ ids }) => {
      const made = Array.from({ length: 200 }, ids.versionId);
      // A place is random when it takes many values, and is not merely counted: 15 of 5 bits each.
      const variety = (place: number) => new Set(made.map((id) => id[place])).size;
      const randomPlaces = Array.from(made[0] ?? '', (_, place) => place).filter(
        (place) => variety(place) > 16,
      );
      expect(randomPlaces.length * 5).toBeGreaterThanOrEqual(74);
    });

    test('a floor sorts before the ids made since and after those made before', async ({
      ids,
      clock,
    }) => {
      const before = ids.blobId(owner);
      const nowMs = clock.nowMs();
      expect(ids.blobIdLowerBound(owner, nowMs + 60_000) > before).toBe(true);
      expect(ids.blobIdLowerBound(owner, nowMs - 60_000) < before).toBe(true);
      expect(ids.blobIdLowerBound(owner, nowMs) <= ids.blobId(owner)).toBe(true);
      expect(ids.blobIdLowerBound(owner, -5) < before).toBe(true);
    });

    test('request ids are short, plain and unique', async ({ ids }) => {
      const made = Array.from({ length: 5000 }, ids.requestId);
      expect(new Set(made).size).toBe(5000);
      for (const id of made.slice(0, 50)) expect(id).toMatch(/^[A-Za-z0-9]{8,64}$/);
    });

    test('background work runs, and its failure harms nobody', async ({ background }) => {
      const ran = new Promise<void>((resolve) => {
        background.run('fails', () => Promise.reject(new Error('expected by the contract')));
        background.run('throws', () => {
          throw new Error('expected by the contract');
        });
        background.run('works', async () => resolve());
      });
      await expect(ran).resolves.toBeUndefined();
    });

    test('log and meter take whatever they are given', async ({ log, meter }) => {
      const fields = { text: 'a"b\n', number: 1, nothing: null, missing: undefined, yes: true };
      const cause = new Error('outer', { cause: new Error('inner') });
      const written = [log.info('contract'), log.info('contract', fields)];
      expect([
        ...written,
        log.error('contract', { cause }),
        log.error('contract', { cause: 'text' }),
      ]).toEqual(Array(4).fill(undefined));
      const before = meter.totals().operations;
      const accountId = 'a' as AccountId;
      meter.of({ accountId, bucketId: owner, accessKeyId: null }).count('A', 0, 'none', 'STANDARD');
      meter
        .of({ accountId, bucketId: null, accessKeyId: null })
        .count('free', 10, 'memory', 'UNKNOWN');
      expect(meter.totals().operations).toEqual({
        ...before,
        A: before.A + 1,
        free: before.free + 1,
      });
    });
  });
}
