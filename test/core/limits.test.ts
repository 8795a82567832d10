// Every limit of core is as high as it says, and no higher: each line takes a number of things or
// characters, and is tried with the limit and with one more.
import { expect, it } from 'vitest';
import { checkPolicy } from '../../src/core/buckets/set-policy.ts';
import { setCap } from '../../src/core/caps/set-cap.ts';
import { confirmTime } from '../../src/core/clock/confirm-time.ts';
import { compileGlobs, GLOB_STATES_MAX } from '../../src/core/hosting/compile-globs.ts';
import { isGlob } from '../../src/core/hosting/glob.ts';
import { isBindableHost } from '../../src/core/hosting/host-names.ts';
import { parsePathPattern } from '../../src/core/hosting/path-pattern.ts';
import { readHosting } from '../../src/core/hosting/read-hosting.ts';
import { createProblems } from '../../src/core/hosting/rule-lines.ts';
import { searchKeys } from '../../src/core/key-jobs/search-keys.ts';
import { toTags } from '../../src/core/objects/tags.ts';
import { createWebhook } from '../../src/core/outbox/webhooks.ts';
import { parseBucketName } from '../../src/core/parse-names.ts';
import type { Cap } from '../../src/domain/billing/caps.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { parseIpRange } from '../../src/domain/ip-range.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { JUMP_MAX_MS } from '../../src/domain/trusted-time.ts';
import { areTaken, type LimitLine, list, text } from '../limit-lines.ts';
import { bytesCap } from './caps/cap-samples.ts';
import { createMemoryCore, openTestBucket } from './memory-core.ts';

const core = createMemoryCore();

const hosting = (settings: object) =>
  readHosting(new TextEncoder().encode(JSON.stringify(settings)), []);

const policyOf = (bytes: number) => {
  const policy = (sid: string) =>
    JSON.stringify({
      Statement: {
        Sid: sid,
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::photos/*',
      },
    });
  return policy(text(bytes - policy('').length));
};

const webhook = (change: Partial<Parameters<typeof createWebhook>[2]>) =>
  createWebhook(core, ROOT_ACCOUNT.id, {
    url: 'https://hooks.example.org/',
    description: '',
    types: [],
    isEnabled: true,
    ...change,
  });

const cap = (changes: Partial<Cap>) => setCap(core, ROOT_ACCOUNT.id, bytesCap(1n, changes));

const LINES: readonly LimitLine[] = [
  ['characters of the key of a tag', 128, (count) => toTags([[text(count), 'v']], 10)],
  ['characters of the value of a tag', 256, (count) => toTags([['k', text(count)]], 10)],
  [
    'tags of an object',
    10,
    (count) =>
      toTags(
        list(count, (at) => [`k${at}`, 'v']),
        10,
      ),
  ],
  [
    'bytes of a policy',
    20 * 1024,
    (count) =>
      checkPolicy({ name: parseBucketName('photos'), access: PRIVATE_ACCESS }, policyOf(count)),
  ],
  ['characters of a pattern of names', 256, (count) => isGlob(text(count))],
  [
    'combinations of the braces of a pattern',
    64,
    (count) => isGlob(`{${text(1)},${list(count - 1, () => 'y').join()}}`),
  ],
  [
    'states of all patterns together',
    GLOB_STATES_MAX,
    (count) => {
      const whole = list(Math.floor((count - 20) / 101), () => `/${text(99)}`);
      const rest = count - whole.length * 101;
      return compileGlobs([...whole, `/${text(rest - 2)}`]).leftOut === 0;
    },
  ],
  [
    'placeholders of a path',
    10,
    (count) => parsePathPattern(list(count, (at) => `/:p${at}`).join('')),
  ],
  [
    'characters of a host',
    253,
    (count) =>
      isBindableHost(`${list(64, () => 'a').join('.')}.${text(63)}.${text(count - 192)}`, []),
  ],
  ['labels of 63 characters in a host', 63, (count) => isBindableHost(`${text(count)}.org`, [])],
  [
    'characters of the name of a document of a site',
    256,
    (count) => hosting({ indexDocument: text(count) }),
  ],
  ['pixels of an image’s side', 4096, (count) => hosting({ images: { sizes: [count] } })],
  ['pixels of an image’s largest side', 4096, (count) => hosting({ images: { maxSize: count } })],
  ['sizes of images', 50, (count) => hosting({ images: { sizes: list(count, (at) => at + 1) } })],
  [
    'characters of a text that is searched for',
    255,
    async (count) => {
      await searchKeys(core, await openTestBucket(core), {
        prefix: '',
        needle: text(count),
        limit: 1,
        after: null,
      });
    },
  ],
  [
    'characters of the address of a webhook',
    2048,
    (count) => webhook({ url: `https://hooks.example.org/${text(count - 26)}` }),
  ],
  [
    'characters of the description of a webhook',
    256,
    (count) => webhook({ description: text(count) }),
  ],
  [
    'types of events of a webhook',
    50,
    (count) => webhook({ types: list(count, (at) => `a.t${at}`) }),
  ],
  [
    'milliseconds by which the clock may differ',
    JUMP_MAX_MS,
    (count) => confirmTime(core, core.ports.clock.nowMs() + count),
  ],
  [
    'milliseconds by which the clock may be ahead',
    JUMP_MAX_MS,
    (count) => confirmTime(core, core.ports.clock.nowMs() - count),
  ],
  ['bits of a range of IPv4', 32, (count) => parseIpRange(`192.0.2.0/${count}`)],
  ['bits of a range of IPv6', 128, (count) => parseIpRange(`2001:db8::/${count}`)],
  ['percents of a cap’s alert', 100, (count) => cap({ alertPercents: [count] })],
  ['alerts of a cap', 10, (count) => cap({ alertPercents: list(count, (at) => at + 1) })],
  ['percents from which a cap keeps to caches', 100, (count) => cap({ cachedFromPercent: count })],
  ['characters of the id of a cap', 64, (count) => cap({ id: text(count) })],
];

it.each(LINES)('%s may be %d, and no more', async (_what, limit, accept) => {
  expect(await areTaken(accept, limit, limit + 1)).toEqual([true, false]);
});

it.each<LimitLine>([
  ['pixels of an image’s side', 1, (count) => hosting({ images: { sizes: [count] } })],
  ['percents of a cap’s alert', 1, (count) => cap({ alertPercents: [count] })],
  ['the limit of a cap', 1, (count) => cap({ limit: BigInt(count) })],
  [
    'characters of a text that is searched for',
    1,
    async (count) => {
      await searchKeys(core, await openTestBucket(core), {
        prefix: '',
        needle: text(count),
        limit: 1,
        after: null,
      });
    },
  ],
  ['characters of the key of a tag', 1, (count) => toTags([[text(count), 'v']], 10)],
])('%s may be %d, and no less', async (_what, limit, accept) => {
  expect(await areTaken(accept, limit, limit - 1)).toEqual([true, false]);
});

it('50 problems of a rule file are named, and that there are more', () => {
  const reasonsOf = (count: number) => {
    const problems = createProblems();
    for (let at = 1; at <= count; at++) problems.add(at, `problem ${at}`);
    return problems.list;
  };
  expect(reasonsOf(50)).toHaveLength(50);
  expect(reasonsOf(50).at(-1)).toEqual({ line: 50, reason: 'problem 50' });
  expect(reasonsOf(52)).toHaveLength(51);
  expect(reasonsOf(52).at(-1)).toEqual({ line: 0, reason: 'and more problems like these' });
});
