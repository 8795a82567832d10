// Look-ups of a busy bucket through a relay, from isolates of several colos: the real Durable
// Objects, of which one is the relay of a region. What it brings is bounded as everything is.
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoRelay } from '../../../src/adapters/cloudflare/clients/do-relay.ts';
import type { CallableObject } from '../../../src/adapters/cloudflare/clients/object-call.ts';
import { createColoTier } from '../../../src/adapters/cloudflare/pointers/colo-tier.ts';
import {
  createRelayPages,
  lookupOf,
} from '../../../src/adapters/cloudflare/pointers/relay-pages.ts';
import { findCurrent } from '../../../src/core/objects/find-current.ts';
import type { BucketAccess } from '../../../src/domain/bucket-access.ts';
import type { BucketLocation } from '../../../src/domain/locations/bucket-locations.ts';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PRIVATE,
  PUBLIC,
  recordOf,
  refOf,
} from '../kit/bucket.ts';
import {
  type ColoIsolate,
  createColo,
  createColoIsolate,
  createTestClock,
} from '../kit/colo-isolate.ts';

/** Bodies fill pages before their keys do: five of these, so a reply's eight pages end before. */
const BODY = new Uint8Array(16_000);
const KEYS = 120;
const keyAt = (at: number) => `k${String(at).padStart(3, '0')}` as ObjectKey;
const NEAR = keyAt(0);
const FAR = keyAt(KEYS - 1);

async function makeBucket(access: BucketAccess) {
  const name = freshBucketName();
  const { call, stub } = bucketObject(name);
  const record = await call('createBucket', { bucket: recordOf(name, access) });
  const commit = (key: string, etag: string) =>
    call('commitObject', {
      bucket: refOf(record),
      object: { ...objectOf(key, etag), segments: [], inlineBytes: BODY, sizeBytes: BODY.length },
      condition: null,
      newReferences: [],
    });
  // At once, so that the object commits them together.
  await Promise.all(Array.from({ length: KEYS }, (_, at) => commit(keyAt(at), 'e1')));

  /** Looks up so often that the object wants relays. */
  const makeBusy = () =>
    runInDurableObject(stub(), (object) => {
      for (let at = 0; at < 60; at++)
        void (object as unknown as CallableObject).call('resolve', { name, key: NEAR });
    });
  return { name, call, record, commit, makeBusy };
}

type Options = { region?: 'weur' | null; location?: BucketLocation; access?: BucketAccess };

async function setUp(options: Options = {}) {
  const { region = 'weur', location = null, access = PUBLIC } = options;
  const bucket = await makeBucket(access);
  const clock = createTestClock();
  const asked = { relay: 0, isBroken: false };
  const log = { info() {}, error() {} };

  function createReader(open = createColo()) {
    const ask = createDoRelay(env.BUCKETS, { find: async () => ({ location }) }, () => region);
    const relays = createRelayPages({
      async call(name, wanted) {
        asked.relay += 1;
        if (asked.isBroken) throw new Error('expected by the test');
        return ask(name, wanted);
      },
      clock,
      log,
      limitMs: 15_000,
    });
    return createColoIsolate(clock, open, env.HOT, 15_000, { relays });
  }

  /** A reader who has just heard of the bucket that relays are to be asked. */
  async function createTold(open = createColo()) {
    await bucket.makeBusy();
    const reader = createReader(open);
    await reader.read(bucket.name, NEAR);
    expect(reader.feeds.state(bucket.name)?.isRelayed).toBe(true);
    return reader;
  }
  return { ...bucket, clock, asked, createReader, createTold };
}

describe('a busy bucket', () => {
  it('is read through the relay, without its object, and the colo keeps the page', async () => {
    const { createTold, createReader, name, asked } = await setUp();
    const open = createColo();
    const reader = await createTold(open);
    const calls = reader.calls();
    expect(await reader.read(name, FAR)).toEqual({ state: 'e1', tier: 'index' });
    expect([reader.calls() - calls, asked.relay]).toEqual([0, 1]);
    const other = createReader(open);
    expect(await other.read(name, FAR)).toEqual({ state: 'e1', tier: 'colo' });
    expect([other.calls(), asked.relay]).toEqual([0, 1]);
  });

  it('is read so from other colos too, what is not there included', async () => {
    const { createTold, name, asked } = await setUp();
    for (let colo = 1; colo <= 2; colo++) {
      const reader = await createTold();
      const calls = reader.calls();
      expect((await reader.read(name, FAR)).state).toBe('e1');
      expect((await reader.read(name, `${FAR}-made-up`)).state).toBe('none');
      expect([reader.calls() - calls, asked.relay]).toEqual([0, 2 * colo]);
    }
  });

  it.each(['a write', 'a deletion', 'a bucket made private'])(
    'shows %s within the bound, and at once to who hears of it',
    async (what) => {
      const { createTold, name, clock, call, commit, record } = await setUp();
      const reader = await createTold();
      expect((await reader.read(name, FAR)).state).toBe('e1');
      if (what === 'a write') await commit(FAR, 'e2');
      else if (what === 'a deletion') {
        const targets = [{ key: FAR, versionId: null, condition: null, markerId: 'm' }];
        const more = { bypassGovernance: false, ownerId: null, nowMs: clock.ms };
        await call('deleteObjects', { bucket: refOf(record), targets, ...more } as never);
      } else await call('setBucketAccess', { bucket: refOf(record), access: PRIVATE });

      const state = { 'a write': 'e2', 'a deletion': 'none' }[what] ?? 'closed';
      // The relay still has the page from before.
      const late = await createTold();
      expect((await late.read(name, FAR)).state).toBe(state);
      clock.ms += 4999;
      expect((await reader.read(name, FAR)).state).toBe('e1');
      clock.ms += 1;
      expect((await reader.read(name, FAR)).state).toBe(state);
    },
  );

  it('is read from its object where the relay fails, which is then left alone', async () => {
    const { createTold, name, asked, clock } = await setUp();
    const reader = await createTold();
    asked.isBroken = true;
    for (const key of [FAR, keyAt(KEYS - 10)]) {
      const calls = reader.calls();
      expect(await reader.read(name, key)).toEqual({ state: 'e1', tier: 'index' });
      expect(reader.calls() - calls).toBe(1);
    }
    expect(asked.relay).toBe(1);
    clock.ms += 5000;
    asked.isBroken = false;
    const other = await createTold();
    const calls = other.calls();
    await other.read(name, FAR);
    expect(other.calls() - calls).toBe(0);
  });

  it.each([
    ['an isolate does not know where it is', { region: null }],
    ['it is in a jurisdiction', { location: 'eu' }],
  ] as const)('is read from its object where %s', async (_what, options) => {
    const { createTold, name } = await setUp(options);
    const reader = await createTold();
    const calls = reader.calls();
    expect((await reader.read(name, FAR)).state).toBe('e1');
    expect(reader.calls() - calls).toBe(1);
  });
});

describe.each([
  ['closed', PRIVATE],
  ['public', PUBLIC],
] as const)('who comes by a link to a busy %s bucket', (what, access) => {
  it('is answered by the object and the colo, and by no relay', async () => {
    const { createTold, createReader, name, asked, clock } = await setUp({ access });
    const open = createColo();
    const visit = async ({ core, settle }: ColoIsolate) => {
      const { pointer } = await findCurrent(core, name, FAR, true);
      await settle();
      return pointer?.etag;
    };
    const reader = await createTold(open);
    const calls = reader.calls();
    expect(await visit(reader)).toBe('e1');
    expect([reader.calls() - calls, asked.relay]).toEqual([1, 0]);
    const other = createReader(open);
    expect(await visit(other)).toBe('e1');
    expect([other.calls(), asked.relay]).toEqual([0, 0]);

    // A relay that is asked for the key all the same is given what everybody may read.
    const state = other.feeds.state(name);
    const wanted = state === null ? null : lookupOf(state, FAR);
    if (wanted === null) throw new Error('the bucket is not known');
    const ask = createDoRelay(
      env.BUCKETS,
      { find: async () => ({ location: null }) },
      () => 'weur',
    );
    const relayed = await ask(name, wanted);
    expect(relayed?.page.pointers.get(FAR)?.etag).toBe(what === 'public' ? 'e1' : undefined);
    clock.ms += 5000;
    expect((await createReader(open).read(name, FAR)).state).toBe(
      what === 'public' ? 'e1' : 'closed',
    );
  });
});

it('a herd of a cold colo asks the relay unheard; a lone reader does not', async () => {
  const { createReader, name, asked, clock } = await setUp();
  const alone = createReader();
  await alone.read(name, NEAR);
  await alone.read(name, FAR);
  expect(asked.relay).toBe(0);

  const open = createColo();
  const log = { info() {}, error() {} };
  await createColoTier({ clock, log, limitMs: 15_000, idOf: (bucket) => bucket, open }).claim(name);
  const waiting = createReader(open);
  const read = waiting.read(name, FAR);
  const first = createReader(open);
  // Whoever has just changed the bucket waits for nobody.
  first.hotMetadata.evict(name, []);
  await first.read(name, NEAR);
  expect((await read).state).toBe('e1');
  expect([waiting.calls(), asked.relay]).toEqual([0, 1]);
});
