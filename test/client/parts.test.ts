// The pieces of a transfer that need no server: signatures, checksums, part sizes, permits, speed.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CRC64_OF_NOTHING, crc64Text, createCrc64 } from '../../src/client/objects/crc64nvme.ts';
import { attributeHeaders } from '../../src/client/objects/object-headers.ts';
import { metadataOf } from '../../src/client/objects/read-metadata.ts';
import type { sendReporting } from '../../src/client/objects/send-reporting.ts';
import { createSigner } from '../../src/client/objects/sigv4.ts';
import { createMeter, type Progress } from '../../src/client/progress.ts';
import { createParallel } from '../../src/client/upload/parallel.ts';
import { partSizeFor, partSizeOfStored } from '../../src/client/upload/part-size.ts';
import { elementsOf, textOf } from '../../src/client/xml.ts';
import { crc64nvme } from '../../src/crypto/crc64nvme.ts';
import { toEncodedWords } from '../../src/http/semantics/encoded-words.ts';
import { bytesOf, MiB } from './client-server.ts';

type Vector = {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: string;
  readonly signature: string;
};
const vectors: { readonly requests: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../vectors/s3-sigv4.json', import.meta.url), 'utf8'),
);

describe('signatures', () => {
  // AWS's own examples; the key is published with them.
  const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const sign = createSigner(key, 'us-east-1');

  it.each(vectors.requests)('are those of AWS: $name', async (vector) => {
    const { host, search } = new URL(vector.target, 'http://examplebucket.s3.amazonaws.com');
    const named = Object.entries(vector.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    const { host: _, 'x-amz-date': __, ...headers } = Object.fromEntries(named);
    const request = {
      method: vector.method,
      host,
      path: (vector.target.split('?')[0] ?? '').replace('$', '%24'),
      query: Object.fromEntries(new URLSearchParams(search)),
      headers,
    };
    const { authorization } = await sign(request, Date.UTC(2013, 4, 24));
    expect(authorization).toContain(`SignedHeaders=${vector.signedHeaders}, `);
    expect(authorization).toMatch(new RegExp(`Signature=${vector.signature}$`));
  });
});

describe('checksums', () => {
  it('are those of the server, however the bytes are cut', () => {
    const crc64 = createCrc64();
    const data = bytesOf(10_007);
    for (const cut of [0, 1, 7, 8, 4096, 10_007]) {
      const state = crc64(data.subarray(cut), crc64(data.subarray(0, cut)));
      const { high, low } = crc64nvme(data);
      expect(state).toEqual([high, low]);
    }
    expect(crc64(new Uint8Array(0))).toEqual(CRC64_OF_NOTHING);
  });

  it('are written as the standard’s check value is', () => {
    expect(crc64Text(createCrc64()(new TextEncoder().encode('123456789')))).toBe('rosUhgp5mIg=');
  });
});

describe('headers', () => {
  it.each(['plain', 'Zürich', 'Łódź', '日本語の長い名前', 'ü'.repeat(300), '=?UTF-8?Q?x', '\xff'])(
    'give back %s',
    (text) => {
      const [sent = ''] = Object.values(attributeHeaders({ metadata: { text } }));
      expect(sent).toMatch(/^[\0-\xff]*$/);
      const headers = new Headers({ 'x-amz-meta-text': toEncodedWords(sent) });
      expect(metadataOf(headers)).toEqual({ text });
    },
  );
});

describe('XML', () => {
  it('gives texts of elements, and nothing of what is none', () => {
    const xml =
      '<A><Part><Size>1</Size></Part><Part><Size>2</Size></Part><M>&lt;&amp;&quot;</M></A>';
    expect(elementsOf(xml, 'Part').map((part) => textOf(part, 'Size'))).toEqual(['1', '2']);
    expect(textOf(xml, 'M')).toBe('<&"');
    expect([textOf(xml, 'Nothing'), textOf('</M><M>', 'M')]).toEqual([null, null]);
  });
});

describe('sizes of parts', () => {
  const TiB = 1024 ** 4;
  const partsOf = (sizeBytes: number) => Math.ceil(sizeBytes / partSizeFor(sizeBytes)(1));

  it.each([17 * MiB, 80_000 * MiB, 80_001 * MiB, TiB, 5 * TiB])(
    '%s bytes have 10,000 at most',
    (size) => {
      expect(partsOf(size)).toBeLessThanOrEqual(10_000);
      expect(partSizeFor(size)(1)).toBeGreaterThanOrEqual(8 * MiB);
    },
  );

  it('let a stream grow to 5 TiB', () => {
    const sizeOf = partSizeFor(null);
    const all = Array.from({ length: 10_000 }, (_, at) => sizeOf(at + 1)).reduce((a, b) => a + b);
    expect([sizeOf(1), all >= 5 * TiB]).toEqual([8 * MiB, true]);
  });

  it('are refused where no object could come of them', () => {
    expect(() => partSizeFor(5 * TiB + 1)).toThrow('5 TiB');
    expect(() => partSizeFor(MiB, MiB)).toThrow('5 MiB');
    expect(() => partSizeFor(TiB, 5 * MiB)).toThrow('10,000 parts');
  });

  it('are those of an upload that was begun, where they fit', () => {
    const part = (partNumber: number, sizeBytes: number) => ({
      partNumber,
      sizeBytes,
      etag: '',
      checksum: null,
    });
    const usual = partSizeFor(20 * MiB);
    const sizeOf = (...parts: ReturnType<typeof part>[]) =>
      partSizeOfStored(parts, 20 * MiB, usual)(1);
    expect(sizeOf(part(2, 6 * MiB), part(4, 2 * MiB))).toBe(6 * MiB);
    expect(sizeOf()).toBe(8 * MiB);
    expect(sizeOf(part(1, 6 * MiB), part(2, 7 * MiB))).toBe(8 * MiB);
    expect(sizeOf(part(4, 2 * MiB))).toBe(8 * MiB);
  });
});

describe('parts under way', () => {
  /** A line of that many bytes in a millisecond for each permit, up to its width. */
  function sendOver(width: number, max: number, rounds: number): number {
    let nowMs = 0;
    const parallel = createParallel(max, () => nowMs);
    for (let round = 0; round < rounds; round++) {
      const permits = parallel.limit();
      for (let at = 0; at < permits; at++) void parallel.enter();
      nowMs += (1000 * permits) / Math.min(width, permits);
      for (let at = 0; at < permits; at++) parallel.leave(1000);
    }
    return parallel.limit();
  }

  it('become more while that is faster, and no more than may be', () => {
    expect(sendOver(100, 8, 20)).toBe(8);
    const settled = sendOver(5, 16, 40);
    expect(settled).toBeGreaterThanOrEqual(4);
    expect(settled).toBeLessThanOrEqual(7);
    expect(sendOver(100, 1, 5)).toBe(1);
  });

  it('become half as many when one fails, and wait for permits', async () => {
    const parallel = createParallel(8);
    await Promise.all([parallel.enter(), parallel.enter(), parallel.enter()]);
    parallel.slow();
    expect(parallel.limit()).toBe(1);
    let isIn = false;
    const entered = parallel.enter().then(() => {
      isIn = true;
    });
    parallel.leave(0);
    parallel.leave(0);
    await Promise.resolve();
    expect(isIn).toBe(false);
    parallel.leave(0);
    await entered;
    expect(isIn).toBe(true);
  });
});

describe('progress', () => {
  afterEach(() => void vi.useRealTimers());

  it('tells bytes, speed and time left; what was there before is no speed', () => {
    vi.useFakeTimers({ now: 0 });
    const seen: Progress[] = [];
    const meter = createMeter(10_000, (progress) => seen.push(progress));
    meter.skip(1, 4000);
    for (let at = 1; at <= 4; at++) {
      vi.setSystemTime(at * 500);
      meter.set(2, at * 500);
    }
    expect(meter.now()).toEqual({
      sentBytes: 6000,
      totalBytes: 10_000,
      bytesPerSecond: 1000,
      secondsLeft: 4,
    });
    expect(seen).toHaveLength(4);
    meter.set(2, 0);
    expect(meter.now().sentBytes).toBe(4000);
    vi.setSystemTime(2001);
    meter.set(2, 10);
    expect(seen).toHaveLength(4);
  });
});

describe('a body that a browser sends', () => {
  class FakeXhr {
    static last: FakeXhr;
    responseType = '';
    status = 200;
    response = new TextEncoder().encode('<ok/>').buffer;
    upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
    onload: (() => void) | null = null;
    onerror: (() => void) | null = null;
    onabort: (() => void) | null = null;
    sent: unknown[] = [];
    constructor() {
      FakeXhr.last = this;
    }
    open(...args: unknown[]) {
      this.sent.push(...args);
    }
    setRequestHeader(...args: unknown[]) {
      this.sent.push(...args);
    }
    getAllResponseHeaders = () => 'etag: "a"\r\nx-b: c: d\r\n';
    send(body: unknown) {
      this.sent.push(body);
    }
    abort() {
      this.onabort?.();
    }
  }
  afterEach(() => void vi.unstubAllGlobals());

  const send = async (signal?: AbortSignal) => {
    vi.stubGlobal('XMLHttpRequest', FakeXhr);
    // The module looks at the platform when it is loaded.
    vi.resetModules();
    const path = '../../src/client/objects/send-reporting.ts';
    const module: { sendReporting: typeof sendReporting } = await import(path);
    const reports: number[] = [];
    const response = module.sendReporting({
      method: 'PUT',
      url: 'http://a.test/b',
      headers: { a: '1' },
      body: bytesOf(3),
      signal,
      onSent: (bytes) => reports.push(bytes),
    });
    return { response, reports, xhr: FakeXhr.last };
  };

  it('tells how much of it has left', async () => {
    const { response, reports, xhr } = await send();
    xhr.upload.onprogress?.({ loaded: 2 });
    xhr.onload?.();
    const { status, headers } = await response;
    expect([status, headers.get('etag'), headers.get('x-b'), reports]).toEqual([
      200,
      '"a"',
      'c: d',
      [2],
    ]);
    expect(xhr.sent).toEqual(['PUT', 'http://a.test/b', 'a', '1', bytesOf(3)]);
  });

  it('may have no answer but a status', async () => {
    const { response, xhr } = await send();
    xhr.status = 204;
    xhr.response = new ArrayBuffer(0);
    xhr.onload?.();
    expect((await response).status).toBe(204);
  });

  it('fails as fetch does', async () => {
    const cut = await send();
    cut.xhr.onerror?.();
    await expect(cut.response).rejects.toBeInstanceOf(TypeError);
    const stopping = new AbortController();
    const stopped = await send(stopping.signal);
    stopping.abort(new Error('gone'));
    await expect(stopped.response).rejects.toThrow('gone');
  });
});
