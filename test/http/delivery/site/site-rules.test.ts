// The rules of a site near the reader: read once per version, kept within bounds, and never lost
// because a tier fails.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HOSTING_DEFAULTS } from '../../../../src/core/hosting/read-hosting.ts';
import { NO_SETTINGS } from '../../../../src/domain/bucket-settings.ts';
import type {
  BucketName,
  BucketReadPolicy,
  ObjectKey,
  VersionId,
} from '../../../../src/domain/nouns.ts';
import { createSiteRulesReader } from '../../../../src/http/delivery/site/site-rules.ts';
import { PUBLIC_ACCESS } from '../../../access-samples.ts';
import {
  createMemoryCore,
  openTestBucket,
  putBytes,
  withPorts,
} from '../../../core/memory-core.ts';

const NAME = 'pages' as BucketName;

function readPolicyOf(bucketId: string, files: Record<string, string>): BucketReadPolicy {
  return {
    bucketId: bucketId as BucketReadPolicy['bucketId'],
    revision: 1,
    ownerId: 'owner' as BucketReadPolicy['ownerId'],
    access: PUBLIC_ACCESS,
    settings: { ...NO_SETTINGS, hosting: HOSTING_DEFAULTS },
    siteFiles: Object.entries(files).map(([key, versionId]) => ({
      key: key as ObjectKey,
      versionId: versionId as VersionId,
    })),
  };
}

async function setUp() {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core, NAME);
  let calls = 0;
  let isFailing = false;
  let hangs: Promise<void> | null = null;
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const watched = withPorts(core, {
    clock,
    metadataIndex: {
      async call(name, method, input) {
        calls += 1;
        if (isFailing) throw new Error('no index');
        await hangs;
        return core.ports.metadataIndex.call(name, method, input);
      },
    },
  });
  const write = (key: string, text: string) =>
    putBytes(core, bucket, key, new TextEncoder().encode(text));
  return {
    rules: createSiteRulesReader(watched),
    write,
    calls: () => calls,
    clock,
    limitMs: core.settings.tierLimitMs,
    fail: (failing: boolean) => {
      isFailing = failing;
    },
    hang: (until: Promise<void> | null) => {
      hangs = until;
    },
  };
}

const targetOf = (
  rules: { redirects: { findFirm(path: string): { rule: { to: string } } | null } } | null,
) => rules?.redirects.findFirm('/a')?.rule.to;

describe('the rules of a site', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('cost nothing where there are none', async () => {
    const { rules, calls } = await setUp();
    const readPolicy = readPolicyOf('pages~1', {});
    expect(rules.peek(readPolicy, '')?.redirects.count).toBe(0);
    expect(rules.peek({ ...readPolicy, settings: NO_SETTINGS }, '')?.redirects.count).toBe(0);
    await rules.load(NAME, readPolicyOf('pages~1', { 'docs/_headers': 'v1' }), '');
    expect(calls()).toBe(0);
  });

  it('are read once for each version', async () => {
    const { rules, write, calls } = await setUp();
    await write('_redirects', '/a /first');
    const readPolicy = readPolicyOf('pages~1', { _redirects: 'v1' });
    expect(rules.peek(readPolicy, '')).toBe(null);
    expect(targetOf(await rules.load(NAME, readPolicy, ''))).toBe('/first');
    expect(targetOf(rules.peek(readPolicy, ''))).toBe('/first');
    await rules.load(NAME, readPolicy, '');
    expect(calls()).toBe(1);
    await write('_redirects', '/a /second');
    const next = readPolicyOf('pages~1', { _redirects: 'v2' });
    expect(rules.peek(next, '')).toBe(null);
    expect(targetOf(await rules.load(NAME, next, ''))).toBe('/second');
    // Another site, and another life of the bucket, share nothing with it.
    expect(rules.peek(readPolicyOf('pages~1', { 'docs/_redirects': 'v2' }), 'docs/')).toBe(null);
    expect(rules.peek(readPolicyOf('pages~2', { _redirects: 'v2' }), '')).toBe(null);
  });

  it('stay as they were while their new version can’t be read, and are never missing', async () => {
    const { rules, write, fail } = await setUp();
    await write('_redirects', '/a /first');
    fail(true);
    await expect(
      rules.load(NAME, readPolicyOf('pages~1', { _redirects: 'v1' }), ''),
    ).rejects.toThrow('no index');
    fail(false);
    await rules.load(NAME, readPolicyOf('pages~1', { _redirects: 'v1' }), '');
    fail(true);
    const next = readPolicyOf('pages~1', { _redirects: 'v2' });
    expect(targetOf(await rules.load(NAME, next, ''))).toBe('/first');
    expect(rules.peek(next, '')).toBe(null);
  });

  it('that are not known keep one visitor at a time waiting, no longer than any tier', async () => {
    vi.useFakeTimers();
    const { rules, write, hang, calls, clock, limitMs } = await setUp();
    await write('_redirects', '/a /first');
    const readPolicy = readPolicyOf('pages~1', { _redirects: 'v1' });
    hang(new Promise(() => undefined));
    const refused = (load: Promise<unknown>) =>
      expect(load).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    const first = refused(rules.load(NAME, readPolicy, ''));
    await vi.advanceTimersByTimeAsync(limitMs);
    await first;
    await refused(rules.load(NAME, readPolicy, ''));
    expect(calls()).toBe(1);
    clock.ms += 2001;
    const second = refused(rules.load(NAME, readPolicy, ''));
    await refused(rules.load(NAME, readPolicy, ''));
    await vi.advanceTimersByTimeAsync(limitMs);
    await second;
    expect(calls()).toBe(2);
    hang(null);
    clock.ms += 2001;
    expect(targetOf(await rules.load(NAME, readPolicy, ''))).toBe('/first');
  });

  it('stay as they were while the new ones say nothing, and these are read behind', async () => {
    vi.useFakeTimers();
    const { rules, write, hang, calls, clock, limitMs } = await setUp();
    await write('_redirects', '/a /first');
    await rules.load(NAME, readPolicyOf('pages~1', { _redirects: 'v1' }), '');
    await write('_redirects', '/a /second');
    const next = readPolicyOf('pages~1', { _redirects: 'v2' });
    const silence = Promise.withResolvers<void>();
    hang(silence.promise);
    const first = rules.load(NAME, next, '');
    await vi.advanceTimersByTimeAsync(limitMs);
    expect(targetOf(await first)).toBe('/first');
    // Nobody else waits: no timer runs from here on.
    expect(targetOf(await rules.load(NAME, next, ''))).toBe('/first');
    clock.ms += 2001;
    expect(targetOf(await rules.load(NAME, next, ''))).toBe('/first');
    expect(targetOf(await rules.load(NAME, next, ''))).toBe('/first');
    expect(calls()).toBe(3);
    silence.resolve();
    await vi.advanceTimersByTimeAsync(1);
    expect(targetOf(rules.peek(next, ''))).toBe('/second');
  });

  it('come from blobs too, and stay within their memory', async () => {
    const { rules, write, calls } = await setUp();
    await write('_redirects', `/a /b\n#${'x'.repeat(100 * 1024)}`);
    for (let site = 0; site < 30; site++) {
      expect(
        targetOf(await rules.load(NAME, readPolicyOf(`pages~${site}`, { _redirects: 'v1' }), '')),
      ).toBe('/b');
    }
    expect(calls()).toBe(30);
    expect(rules.peek(readPolicyOf('pages~0', { _redirects: 'v1' }), '')).toBe(null);
    expect(targetOf(rules.peek(readPolicyOf('pages~29', { _redirects: 'v1' }), ''))).toBe('/b');
  });
});
