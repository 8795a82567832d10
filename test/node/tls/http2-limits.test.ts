// What a connection of HTTP/2 may send of no use, and how slowly a body may come: to the byte and
// to the second.
import type { ServerHttp2Stream } from 'node:http2';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  isFlood,
  isSlow,
  type Reception,
  refuseSlow,
  watchBody,
} from '../../../src/adapters/node/http2/http2-limits.ts';
import { TOO_SLOW } from '../../../src/adapters/node/server/http-request.ts';

const MiB = 1024 * 1024;
const RATE = 100;

it.each([
  [MiB, 0, false],
  [MiB + 1, 0, true],
  [MiB + 8000, 1000, false],
  [MiB + 8001, 1000, true],
])('%i bytes of which %i were useful are a flood: %s', (read, useful, expected) => {
  expect(isFlood(read, useful)).toBe(expected);
});

/** A body that somebody reads; node:http2's streams end and break off as these do. */
function openBody() {
  const body = new PassThrough();
  body.resume();
  const receptions = new Set<Reception>();
  const reception = watchBody(receptions, body as never);
  /** Seconds until it is too slow, where each brings so many bytes; at most `limit`. */
  const secondsUntilSlow = (bytesASecond: number, limit: number, rate = RATE) => {
    for (let second = 1; second <= limit; second++) {
      reception.receivedBytes += bytesASecond;
      if (isSlow(reception, rate, 1000)) return second;
    }
    return null;
  };
  return {
    body,
    stream: body as unknown as ServerHttp2Stream,
    receptions,
    secondsUntilSlow,
  };
}

describe('a body', () => {
  it('is too slow after a minute without a byte', () => {
    expect(openBody().secondsUntilSlow(0, 100)).toBe(60);
  });

  it('may come as fast as it must for ever, and half as fast for two minutes', () => {
    expect(openBody().secondsUntilSlow(RATE, 1000)).toBeNull();
    expect(openBody().secondsUntilSlow(RATE / 2, 1000)).toBe(120);
  });

  it('earns no more than a minute by what came fast', () => {
    const { secondsUntilSlow } = openBody();
    expect(secondsUntilSlow(1000 * RATE, 1)).toBeNull();
    expect(secondsUntilSlow(0, 100)).toBe(60);
  });

  it('may be as slow as it likes without a least rate, and begins anew with one', () => {
    const { secondsUntilSlow } = openBody();
    expect(secondsUntilSlow(0, 59)).toBeNull();
    expect(secondsUntilSlow(0, 200, 0)).toBeNull();
    expect(secondsUntilSlow(0, 100)).toBe(60);
  });

  it('is not late while nobody reads it', () => {
    const { body, secondsUntilSlow } = openBody();
    expect(secondsUntilSlow(0, 59)).toBeNull();
    body.pause();
    expect(secondsUntilSlow(0, 200)).toBeNull();
    body.resume();
    expect(secondsUntilSlow(0, 100)).toBe(60);
  });

  it.each(['end', 'close'])('is not watched after its %s', (event) => {
    const { body, receptions } = openBody();
    expect(receptions.size).toBe(1);
    body.emit(event);
    expect(receptions.size).toBe(0);
  });

  it('that is too slow is refused by its reader', () => {
    const { stream } = openBody();
    let refusals = 0;
    stream.on(TOO_SLOW, () => {
      refusals += 1;
    });
    refuseSlow(stream);
    expect([refusals, stream.destroyed]).toEqual([1, false]);
  });

  it('that is too slow and has no reader breaks its stream off with an error', () => {
    const { body, stream } = openBody();
    body.on('error', () => {});
    refuseSlow(stream);
    expect([body.destroyed, body.errored]).toEqual([true, expect.any(Error)]);
  });
});
