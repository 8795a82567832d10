// Share links as isolates of one colo, and of others, see them while one of them is changed: each
// change is seen everywhere within five seconds, and the bucket's object is asked once in a while
// for a whole colo. Durable Objects and the Cache API are real; the bucket is closed to everybody.
import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { findCurrent } from '../../../src/core/objects/find-current.ts';
import type { BucketSettings } from '../../../src/domain/bucket-settings.ts';
import type { LabelId, LinkEntry, LinkName } from '../../../src/domain/links/link-ids.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import { findShare } from '../../../src/http/links/share/open-share.ts';
import { entryOf, shareLinkOf } from '../../contract/index/share-links.contract.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PRIVATE,
  recordOf,
  refOf,
} from '../kit/bucket.ts';
import {
  type ColoIsolate,
  createColo,
  createColoIsolate,
  createTestClock,
} from '../kit/colo-isolate.ts';

const key = 'ä//../😀' as ObjectKey;
const BOUND_MS = 5000;
const label = { id: 'label-01' as LabelId, name: 'Ada', createdAtMs: 1, revokedAtMs: null };

async function makeLink(metadata: BucketSettings['metadata'] = null) {
  const name = freshBucketName();
  const { call, stub } = bucketObject(name);
  const made = recordOf(name, PRIVATE);
  const settings = { ...made.settings, metadata };
  const record = await call('createBucket', { bucket: { ...made, settings } });
  const bucket = refOf(record);
  const commit = (etag: string) =>
    call('commitObject', {
      bucket,
      object: objectOf(key, etag),
      condition: null,
      newReferences: [],
    });
  await commit('e1');
  const link = shareLinkOf({ target: { kind: 'object', key, versionId: null } });
  await call('addShareLink', { bucket, link, entry: entryOf() });
  const putLabel = (revokedAtMs: number | null) =>
    call('putShareLabel', {
      bucket,
      linkId: link.id,
      label: { ...label, revokedAtMs },
      entry: entryOf('label-added'),
    });
  await putLabel(null);

  const address = { id: record.id, name };
  const shareName: LinkName = { id: link.id, labelId: label.id };
  const entry = { id: link.id, bucket: address } as LinkEntry;
  /** What a visitor of the link is shown by that isolate. */
  async function visit(isolate: ColoIsolate, of: LinkName = shareName): Promise<string> {
    const share = await findShare(isolate.core, entry, of);
    const state = stateOf(share?.link, share?.label?.revokedAtMs ?? null);
    if (state !== 'open') return state;
    const { pointer } = await findCurrent(isolate.core, name, key, true);
    await isolate.settle();
    return pointer?.etag ?? 'none';
  }
  const change = (next: Partial<ShareLink>) =>
    call('changeShareLink', {
      bucket,
      link: { ...link, revision: 2, ...next },
      entry: entryOf('changed'),
    });
  return { name, call, stub, bucket, link, shareName, visit, change, putLabel, commit };
}

function stateOf(link: ShareLink | undefined, labelRevokedAtMs: number | null): string {
  if (link === undefined) return 'gone';
  return link.revokedAtMs !== null || labelRevokedAtMs !== null ? 'revoked' : 'open';
}

type Links = Awaited<ReturnType<typeof makeLink>>;
/** A change, and what visitors see of it. */
const CHANGES: readonly [string, string, (links: Links) => Promise<unknown>][] = [
  ['a link that was revoked', 'revoked', ({ change }) => change({ revokedAtMs: 1 })],
  ['a label that was revoked', 'revoked', ({ putLabel }) => putLabel(1)],
  [
    'links that were revoked by their prefix',
    'revoked',
    ({ call, bucket }) => {
      const changer = { memberId: null, accessKeyId: null };
      const all = { before: null, limit: 10 };
      return call('revokeShareLinks', { bucket, prefix: '', changer, atMs: 1, ...all });
    },
  ],
  [
    'a link that was deleted',
    'gone',
    ({ call, bucket, link }) => call('deleteShareLink', { bucket, id: link.id }),
  ],
  ['another object', 'e2', ({ commit }) => commit('e2')],
];

describe.each([null, 'kv'] as const)('a link of a closed bucket set to %s', (metadata) => {
  it.each(CHANGES)('shows %s everywhere within five seconds', async (what, state, change) => {
    const links = await makeLink(metadata);
    const clock = createTestClock();
    const [here, there] = [createColo(), createColo()];
    const near = [createColoIsolate(clock, here), createColoIsolate(clock, here)];
    const far = createColoIsolate(clock, there);
    for (const isolate of [...near, far]) expect(await links.visit(isolate)).toBe('e1');

    await change(links);
    clock.ms += BOUND_MS - 1;
    // The past is shown until then, so the bound means something.
    expect(await links.visit(far)).toBe('e1');
    clock.ms += what === 'another object' && metadata === 'kv' ? 55_001 : 1;
    for (const isolate of [...near, far, createColoIsolate(clock, here)])
      expect(await links.visit(isolate)).toBe(state);
  });
});

it('a link of a strict bucket is a second old at most, and of its isolate alone', async () => {
  const links = await makeLink('strict');
  const clock = createTestClock();
  const open = createColo();
  const [one, other] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
  for (const isolate of [one, other]) expect(await links.visit(isolate)).toBe('e1');
  expect(other.calls()).toBe(2);
  await links.change({ revokedAtMs: 1 });
  clock.ms += 999;
  expect(await links.visit(one)).toBe('e1');
  clock.ms += 1;
  expect(await links.visit(one)).toBe('revoked');
});

describe('the tier of a colo', () => {
  it('asks the object once in three seconds for the links of twenty isolates', async () => {
    const links = await makeLink();
    const clock = createTestClock();
    const open = createColo();
    const isolates = Array.from({ length: 20 }, () => createColoIsolate(clock, open));
    for (let second = 0; second < 30; second++) {
      for (const isolate of isolates) expect(await links.visit(isolate)).toBe('e1');
      clock.ms += 1000;
    }
    expect(isolates.reduce((sum, isolate) => sum + isolate.calls(), 0)).toBe(10);
  });

  it('sends a cold herd to the object once', async () => {
    const links = await makeLink();
    const clock = createTestClock();
    const open = createColo();
    const isolates = Array.from({ length: 8 }, () => createColoIsolate(clock, open));
    const [leader, ...others] = isolates as [ColoIsolate, ...ColoIsolate[]];
    const led = links.visit(leader);
    // Its claim stands before the others come.
    const url = `https://pointers.quayside.invalid/${links.name}/claim`;
    while ((await (await open()).match(url)) === undefined) await scheduler.wait(1);
    const herd = others.flatMap((isolate) => [links.visit(isolate), links.visit(isolate)]);
    expect(new Set(await Promise.all([led, ...herd]))).toEqual(new Set(['e1']));
    expect(isolates.reduce((sum, isolate) => sum + isolate.calls(), 0)).toBe(1);
  });

  it('lets nobody in who does not come by the link', async () => {
    const links = await makeLink();
    const clock = createTestClock();
    const open = createColo();
    const [one, other] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    expect(await links.visit(one)).toBe('e1');
    for (const isolate of [one, other]) {
      const { readPolicy, pointer } = await findCurrent(isolate.core, links.name, key);
      expect([readPolicy?.access.publicReads, pointer]).toEqual([null, null]);
      // Strangers take nothing from those who do.
      expect(await links.visit(isolate)).toBe('e1');
    }
    expect(other.calls()).toBe(0);
  });

  it('is not believed by the isolate that has changed the link', async () => {
    const links = await makeLink();
    const clock = createTestClock();
    const open = createColo();
    const [writer, reader] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    for (const isolate of [writer, reader]) expect(await links.visit(isolate)).toBe('e1');
    writer.hotShares.block(links.link.id);
    // A reader of that isolate asks before the change, and hears of it after it.
    const overtaken = findShare(writer.core, { bucket: links.bucket } as never, links.shareName);
    await links.change({ revokedAtMs: 1 });
    await overtaken;
    writer.hotShares.unblock(links.link.id);
    expect(await links.visit(writer)).toBe('revoked');
    expect(await links.visit(reader)).toBe('e1');
    clock.ms += 1001;
    expect(await links.visit(writer)).toBe('revoked');
  });

  it('takes nothing from before a restart of the object', async () => {
    const links = await makeLink();
    const clock = createTestClock();
    const open = createColo();
    const isolates = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    for (const isolate of isolates) expect(await links.visit(isolate)).toBe('e1');
    await evictDurableObject(links.stub());
    await links.change({ revokedAtMs: 1 });
    clock.ms += BOUND_MS;
    for (const isolate of isolates) expect(await links.visit(isolate)).toBe('revoked');
  });
});

it('what nobody can prove is not shown while the object is down', async () => {
  const links = await makeLink();
  const clock = createTestClock();
  let isDown = false;
  const buckets = new Proxy(env.BUCKETS, {
    get: (target, method) =>
      method === 'get' && isDown
        ? () => ({ call: () => Promise.reject(new Error('expected by the test')) })
        : Reflect.get(target, method).bind(target),
  });
  const isolate = createColoIsolate(clock, createColo(), env.HOT, undefined, { buckets });
  expect(await links.visit(isolate)).toBe('e1');
  isDown = true;
  clock.ms += BOUND_MS - 1;
  expect(await links.visit(isolate)).toBe('e1');
  clock.ms += 1;
  await expect(links.visit(isolate)).rejects.toThrow();
});

it('that a link has no such label is believed for two seconds', async () => {
  const links = await makeLink();
  const clock = createTestClock();
  const isolate = createColoIsolate(clock, createColo());
  const late = { ...links.shareName, labelId: 'label-02' as LabelId };
  for (const _ of [1, 2]) expect(await links.visit(isolate, late)).toBe('gone');
  expect(isolate.calls()).toBe(1);
  const { call, bucket, link } = links;
  const added = { linkId: link.id, label: { ...label, id: late.labelId }, entry: entryOf() };
  await call('putShareLabel', { bucket, ...added });
  clock.ms += 1999;
  expect(await links.visit(isolate, late)).toBe('gone');
  clock.ms += 1;
  expect(await links.visit(isolate, late)).toBe('e1');
});

it('an object of the release before, which proves nothing, is asked for each isolate', async () => {
  const links = await makeLink();
  const clock = createTestClock();
  const open = createColo();
  const buckets = new Proxy(env.BUCKETS, {
    get: (target, method) =>
      method === 'get'
        ? () => ({
            call: async (...input: [never, never]) => {
              const { news: _news, ...reply } = await links.stub().call(...input);
              return reply;
            },
          })
        : Reflect.get(target, method).bind(target),
  });
  const old = { buckets };
  const isolate = createColoIsolate(clock, open, env.HOT, undefined, old);
  expect(await links.visit(isolate)).toBe('e1');
  expect(isolate.hotShares.peek(links.shareName)?.label?.name).toBe('Ada');
  await links.change({ revokedAtMs: 1 });
  clock.ms += BOUND_MS;
  expect(isolate.hotShares.peek(links.shareName)).toBeUndefined();
  expect(await links.visit(isolate)).toBe('revoked');
});
