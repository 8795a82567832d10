// Servers that lie, and what stands between them and the client: no wrong bytes, no success that is
// none, no list without an end, no secret for anybody else.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Client, createClient, type Fetch } from '../../src/client/index.ts';
import { ACCESS_KEY, MiB } from './client-server.ts';

type Sent = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
};
type Answer = (sent: Sent, count: number) => Response;

/** Clients of a server that answers so, and all that was sent to it. */
function lying(answer: Answer) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    const one = { method: init?.method ?? 'GET', url: new URL(url), headers, body: init?.body };
    return answer(one, sent.push(one));
  };
  const retries = { attempts: 3, baseMs: 1, maxMs: 2 };
  const endpoint = 'http://quayside.test';
  const byKey = createClient({ endpoint, accessKey: ACCESS_KEY, fetch, retries });
  const byToken = createClient({ endpoint, token: 't', fetch, retries });
  return { byKey, byToken, sent };
}

/** The first half of ten bytes, then a cut. */
function cutBody(): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(new TypeError('cut'));
      isSent = true;
      controller.enqueue(new TextEncoder().encode('01234'));
    },
  });
}

const UNUSABLE = { name: 'QuaysideError', code: 'UnusableResponse' };
const page = () => new Response('<html>Sign in to the network</html>');

describe('refusals', () => {
  const refusal = (problem: object) => () =>
    Response.json(problem, {
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
    });

  it.each(['constructor', 'toString', '__proto__'])('have a text as hint: %s', async (code) => {
    const { byToken } = lying(refusal({ code, detail: 'No.' }));
    const hint = `See /-/docs#${code} of the server.`;
    await expect(byToken.request('GET /me')).rejects.toMatchObject({ code, hint });
  });

  it.each([['text'], [{ length: 1 }], [7], [null], [[null, 'text', {}]]])(
    'have a list as fields: %o',
    async (errors) => {
      const { byToken } = lying(refusal({ code: 'InvalidInput', detail: 'No.', errors }));
      await expect(byToken.request('GET /me')).rejects.toMatchObject({ fields: [] });
    },
  );
});

describe('a refusal without an end', () => {
  /** A body that goes on for as long as it is read, and counts what was. */
  function endless() {
    const read = { bytes: 0, isCancelled: false };
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        // A client that has no bound ends here, not the memory of the test.
        if (read.bytes > 64 * MiB) return controller.close();
        read.bytes += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
      cancel() {
        read.isCancelled = true;
      },
    });
    return { body, read };
  }

  it.each(['byToken', 'byKey'] as const)('is cut, and cancelled: %s', async (by) => {
    const { body, read } = endless();
    const client = lying(() => new Response(body, { status: 400 }))[by];
    const refused = by === 'byToken' ? client.request('GET /me') : client.download('b', 'k');
    await expect(refused).rejects.toMatchObject({ code: 'Http400', status: 400 });
    expect(read.bytes).toBeLessThan(MiB);
    expect(read.isCancelled).toBe(true);
  });

  it('that is cut off says what came of it', async () => {
    const text = '<Error><Code>NoSuchKey</Code><Message>No.</Message>';
    const chunks = [new TextEncoder().encode(text)];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) controller.error(new TypeError('cut'));
        else controller.enqueue(chunk);
      },
    });
    const { byKey } = lying(() => new Response(body, { status: 404 }));
    await expect(byKey.download('b', 'k')).rejects.toMatchObject({ code: 'NoSuchKey' });
  });
});

describe('a batch of requests to presign', () => {
  const COUNT = 200;
  const downloads = (client: Client) =>
    Promise.allSettled(
      Array.from({ length: COUNT }, (_, at) => client.download('b', `k${at}`).then(() => {})),
    );

  it('that may not be made is refused once', async () => {
    const denied = { code: 'AccessDenied', detail: 'No.' };
    const headers = { 'content-type': 'application/problem+json' };
    const { byToken, sent } = lying(() => Response.json(denied, { status: 403, headers }));
    const ends = await downloads(byToken);
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
    expect(sent).toHaveLength(1);
  });
});

describe('bytes of an object', () => {
  it('are not those of the whole where a range was asked for', async () => {
    const { byKey } = lying(() => new Response('0123456789', { headers: { etag: '"a"' } }));
    const range = { offsetBytes: 5, lengthBytes: 2 };
    await expect(byKey.download('b', 'k', { range })).rejects.toMatchObject(UNUSABLE);
  });

  it.each([
    ['of another range', { 'content-range': 'bytes 0-4/10', etag: '"a"' }],
    ['of another object', { 'content-range': 'bytes 5-9/10', etag: '"other"' }],
  ])('are never joined with those %s', async (_, headers) => {
    const first = { headers: { etag: '"a"', 'content-length': '10' } };
    const { byKey } = lying((_sent, count) =>
      count === 1
        ? new Response(cutBody(), first)
        : new Response('56789', { status: 206, headers: { 'content-length': '5', ...headers } }),
    );
    const download = await byKey.download('b', 'k');
    await expect(download.text()).rejects.toMatchObject({ code: 'ObjectChanged' });
    expect(download.verifiedBy()).toBe('nothing');
  });

  it('are no more than the server said at first', async () => {
    const { byKey, sent } = lying((_sent, count) =>
      count === 1
        ? new Response(cutBody(), { headers: { etag: '"a"', 'content-length': '10' } })
        : new Response(count === 2 ? '56789999' : '56789', { status: 206 }),
    );
    const download = await byKey.download('b', 'k');
    expect(await download.text()).toBe('0123456789');
    expect(sent).toHaveLength(3);
  });

  it('come also with metadata that nobody can decode', async () => {
    const headers = { 'x-amz-meta-note': '=?UTF-8?B?!!!?=' };
    const { byKey } = lying(() => new Response('text', { headers }));
    const download = await byKey.download('b', 'k');
    expect([await download.text(), download.metadata.note]).toEqual(['text', '=?UTF-8?B?!!!?=']);
  });
});

describe('an upload is not done', () => {
  const large = new Uint8Array(6 * MiB);
  const inParts = (client: Client) => client.upload('b', 'k', large, { partSizeBytes: 5 * MiB });

  it('where something else than the server took it', async () => {
    const { byKey } = lying(page);
    await expect(byKey.upload('b', 'k', 'text')).rejects.toMatchObject(UNUSABLE);
  });

  it('where nothing says what its id is', async () => {
    const { byKey, sent } = lying(page);
    await expect(inParts(byKey)).rejects.toMatchObject(UNUSABLE);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  it('where a failure came with 200, as S3 sends it', async () => {
    const { byKey } = lying(({ method, url }) => {
      if (method === 'PUT') return new Response(null, { headers: { etag: '"p"' } });
      return url.searchParams.has('uploads')
        ? new Response('<R><UploadId>u</UploadId></R>')
        : new Response('<Error><Code>InternalError</Code></Error>');
    });
    await expect(inParts(byKey)).rejects.toMatchObject(UNUSABLE);
  });

  it('is done where the ETag is hidden, and the object is there', async () => {
    const headers = { 'content-length': '4', 'x-amz-checksum-crc64nvme': 'I7HJ9VNR+NQ=' };
    let stored = '';
    const { byKey } = lying(({ method, headers: sent }) => {
      if (method === 'PUT') stored = sent.get('x-amz-checksum-crc64nvme') ?? '';
      const found = { ...headers, 'x-amz-checksum-crc64nvme': stored, etag: '"found"' };
      return new Response(null, method === 'HEAD' ? { headers: found } : {});
    });
    const result = await byKey.upload('b', 'k', 'text', { checksum: 'crc64nvme' });
    expect(result.etag).toBe('found');
  });
});

describe('a list that never ends', () => {
  it('ends where a page names itself as the next', async () => {
    const { byToken } = lying(() => Response.json({ items: [{ name: 'a' }], nextCursor: 'c' }));
    const read = async () => {
      let count = 0;
      for await (const _ of byToken.buckets.list()) if (++count > 10) return;
    };
    await expect(read()).rejects.toMatchObject(UNUSABLE);
  });

  it('ends where the parts of an upload do', async () => {
    const part = '<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>"a"</ETag></Part>';
    const next = '<NextPartNumberMarker>1</NextPartNumberMarker><IsTruncated>true</IsTruncated>';
    const { byKey, sent } = lying((_sent, count) =>
      count > 20 ? new Response(null, { status: 403 }) : new Response(`<R>${part}${next}</R>`),
    );
    const task = byKey.resumeUpload({ bucket: 'b', key: 'k', uploadId: 'u' }, 'text');
    await expect(task).rejects.toMatchObject(UNUSABLE);
    expect(sent).toHaveLength(2);
  });
});

describe('a refusal', () => {
  it('without anything in it is one all the same, and is not repeated', async () => {
    const { byToken, sent } = lying(() => Response.json(null, { status: 403 }));
    await expect(byToken.request('GET /me')).rejects.toMatchObject({ code: 'Http403' });
    expect(sent).toHaveLength(1);
  });

  it('of many URLs at once does not become one of each', async () => {
    const { byToken, sent } = lying(() =>
      Response.json({ code: 'TooManyRequests' }, { status: 429 }),
    );
    const uploads = Array.from({ length: 40 }, (_, at) => byToken.upload('b', `k${at}`, 'x'));
    const ended = await Promise.allSettled(uploads);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(40);
    // Three attempts of three; how many URLs go together hangs on the load of the machine.
    const asksFor = (key: string) =>
      sent.filter(({ body }) => String(body).includes(`"${key}"`)).length;
    const asks = uploads.map((_, at) => asksFor(`k${at}`));
    expect([Math.min(...asks) > 0, Math.max(...asks)]).toEqual([true, 9]);
  });

  it('is what fewer URLs than were asked for are', async () => {
    const { byToken, sent } = lying(() => Response.json({ items: [] }));
    await expect(byToken.upload('b', 'k', 'x')).rejects.toMatchObject(UNUSABLE);
    expect(sent.map(({ url }) => url.pathname.split('/').at(-1))).not.toContain('');
  });
});

it('the client signs in nowhere else: a redirect does not take the secret along', async () => {
  const bodies: string[] = [];
  const listen = async (location: string | null) => {
    const server = createServer(async (request, response) => {
      for await (const chunk of request) if (location === null) bodies.push(String(chunk));
      response.writeHead(location === null ? 200 : 307, { location: location ?? '' }).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
  const other = await listen(null);
  const own = await listen(`http://localhost:${other.port}/-/api/v1/sessions`);
  try {
    const endpoint = `http://127.0.0.1:${own.port}`;
    const client = createClient({ endpoint, accessKey: ACCESS_KEY, retries: { attempts: 1 } });
    await expect(client.request('GET /me')).rejects.toMatchObject({ status: 307 });
    expect(bodies).toEqual([]);
  } finally {
    for (const { server } of [own, other]) server.close().closeAllConnections();
  }
});
