// What strangers may do with links, and how often: bounds on what costs the service or the owner.
import { expect, it } from 'vitest';
import {
  DROP_BEGUN_PER_SENDER,
  LINK_ZIPS_PER_MINUTE,
} from '../../../src/domain/links/link-limits.ts';
import { useBucket } from '../kit/bucket.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { asSender, becomeSender, create, makeDrop, sendFile, visit } from '../kit/drop-kit.ts';

/** Time for some hundred requests on a busy machine, milliseconds. */
const MANY_MS = 120_000;

describeCore('strangers at links', () => {
  const bucket = useBucket(client);

  it(
    'begin files and give them up so often, and no more',
    async () => {
      const drop = await makeDrop(await tokenClient(client), bucket, { prefix: 'begun/' });
      const code = await becomeSender(drop);
      const statuses: number[] = [];
      const beginAndGiveUp = async () => {
        const begun = await create(drop, code, { name: 'a', length: 5 });
        statuses.push(begun.status);
        const location = begun.headers.location ?? '';
        if (begun.status === 201) await visit('DELETE', location, { headers: asSender(code) });
      };
      for (let count = 0; count < DROP_BEGUN_PER_SENDER; count += 10)
        await Promise.all(Array.from({ length: 10 }, beginAndGiveUp));
      expect(new Set(statuses)).toEqual(new Set([201]));
      const refused = await create(drop, code, { name: 'a', length: 5 });
      expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([
        429,
        expect.any(Number),
      ]);
      expect((await sendFile(drop, await becomeSender(drop), 'b', Buffer.from('b'))).status).toBe(
        204,
      );
    },
    MANY_MS,
  );

  it(
    'ask for the ZIP of a folder so often, by HEAD too',
    async () => {
      const api = await tokenClient(client);
      await client.send({ method: 'PUT', bucket, key: 'zip/a', body: 'a' });
      const made = await api.call('POST', `/buckets/${bucket}/share-links`, {
        target: { kind: 'folder', prefix: 'zip/' },
      });
      const path = new URL(made.json.url).pathname;
      const statuses: number[] = [];
      for (let count = 0; count < LINK_ZIPS_PER_MINUTE + 5; count++)
        statuses.push((await visit('HEAD', `${path}?zip`)).status);
      expect(statuses.slice(0, LINK_ZIPS_PER_MINUTE)).toEqual(
        new Array(LINK_ZIPS_PER_MINUTE).fill(200),
      );
      expect(statuses.at(-1)).toBe(429);
      expect((await visit('GET', `${path}/a`)).status).toBe(200);
    },
    MANY_MS,
  );
});
