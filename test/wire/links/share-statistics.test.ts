// What the owner of a share link reads of its visitors: downloads of many ranges and breaks as one,
// completed ones told from those that broke off, by recipient, referrer and country.
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import {
  breakOff,
  from,
  open,
  openPage,
  ownAddress,
  PREVIEWS,
  untilFree,
  untilStatus,
  useShares,
} from '../kit/share-kit.ts';

const BODY = sampleBytes(3 * 1024 * 1024 + 5, 51);
const PARTS = 37;
/** More than the buffers of both ends. */
const HUGE = Buffer.alloc(24 * 1024 * 1024);

describeCore('the statistics of a share link', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);

  beforeAll(async () => {
    for (const [key, body] of [
      ['file', BODY],
      ['huge', HUGE],
    ] as const)
      expect((await client.send({ method: 'PUT', bucket, key, body })).status).toBe(200);
  });

  const daysOf = async (id: string) =>
    (await shares.api().call('GET', `${shares.pathOf(id)}/statistics`)).json.items;
  /** The sums of all days and labels; the run may go over midnight. */
  const sumsOf = async (id: string) => {
    const sums = { opened: 0, started: 0, completed: 0, aborted: 0 };
    for (const day of await daysOf(id))
      for (const name of ['opened', 'started', 'completed', 'aborted'] as const)
        sums[name] += day[name];
    return sums;
  };

  /** Downloads in ranges, three of which break off before they are asked for again. */
  async function takeInRanges(url: string, headers: Record<string, string>): Promise<void> {
    const step = Math.ceil(BODY.length / PARTS);
    const parts: Buffer[] = [];
    for (let at = 0; at < PARTS; at++) {
      const end = Math.min((at + 1) * step, BODY.length) - 1;
      const range = `bytes=${at * step}-${end}`;
      if (at % 12 === 6) await breakOff(url, { ...headers, range });
      const reply = await untilFree(() => open(url, { ...headers, range }));
      expect(reply.status).toBe(206);
      parts.push(reply.bytes);
    }
    expect(Buffer.concat(parts).equals(BODY)).toBe(true);
  }

  it('count what was sent, and how it ended', { timeout: 60_000 }, async () => {
    const limited = await shares.ofObject('file', { limits: { downloads: 9 } });
    const plain = await shares.ofObject('file');
    const huge = await shares.ofObject('huge');
    const counted = await shares.ofObject('huge', { limits: { downloads: 9 } });
    const ada = await shares.label(plain.id, 'Ada');
    const visitor = { ...from(ownAddress()), 'user-agent': 'wget/1' };
    await takeInRanges(limited.url, visitor);
    await takeInRanges(plain.url, { ...visitor, referer: 'https://news.example/page' });
    expect((await untilStatus(ada.url, 200)).bytes.equals(BODY)).toBe(true);
    expect((await openPage(ada.url, { referer: 'https://chat.example/' })).status).toBe(200);
    for (const agent of PREVIEWS) await open(plain.url, { 'user-agent': agent });
    await open(plain.url, {}, { method: 'HEAD' });
    for (const { url } of [huge, counted]) {
      await breakOff(url, {});
      expect((await open(url, { 'user-agent': 'other' })).bytes.length).toBe(HUGE.length);
    }

    await expect
      .poll(() => sumsOf(limited.id))
      .toMatchObject({ opened: 0, started: 1, completed: 1 });
    await expect
      .poll(() => sumsOf(plain.id))
      .toMatchObject({ opened: 1, started: 2, completed: 2 });
    await expect
      .poll(() => sumsOf(counted.id))
      .toEqual({ opened: 0, started: 2, completed: 1, aborted: 1 });
    // Without limits Workers hand the body to the platform, which says nothing of it.
    const isTold = client.target.platform === 'node';
    await expect
      .poll(() => sumsOf(huge.id))
      .toMatchObject(isTold ? { started: 2, completed: 1, aborted: 1 } : { started: 2 });
    const days = await daysOf(plain.id);
    const own = days.filter(({ labelId }: { labelId: string | null }) => labelId === null);
    const ofAda = days.filter(({ labelId }: { labelId: string | null }) => labelId === ada.id);
    expect([own.length > 0, ofAda.length > 0]).toEqual([true, true]);
    expect(own[0].referrers).toEqual({ 'news.example': 1 });
    expect(ofAda.at(-1)).toMatchObject({ opened: 1, completed: 1, bytes: `${BODY.length}` });
    expect(ofAda.at(-1).referrers).toEqual({ 'chat.example': 1 });
    expect((await shares.usage(limited.id)).downloads).toBe(1);
    const bytes = Number((await shares.usage(limited.id)).bytes);
    expect(bytes).toBeGreaterThanOrEqual(BODY.length);
    // Nobody's address is stored.
    expect(JSON.stringify(days)).not.toContain(visitor['x-forwarded-for']);
  });
});
