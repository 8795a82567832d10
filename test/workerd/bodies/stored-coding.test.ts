import { expect, it } from 'vitest';
import { keepCoding } from '../../../src/adapters/cloudflare/requests/stored-coding.ts';

type Stored = Readonly<Record<string, string>>;

function kept(acceptEncoding: string | null, stored: Stored, isDevServer: boolean): Stored {
  const cf = { clientAcceptEncoding: acceptEncoding ?? '' };
  const request = new Request('https://h.example/', { cf } as RequestInit);
  const headers = new Headers(stored);
  keepCoding(request, headers, isDevServer);
  return Object.fromEntries(headers);
}

const GZIP = { 'content-encoding': 'gzip', 'content-type': 'text/css' };

it.each<[string | null, Stored, string | undefined]>([
  ['identity', GZIP, 'no-transform'],
  [null, GZIP, 'no-transform'],
  ['br', { ...GZIP, 'cache-control': 'max-age=1' }, 'max-age=1, no-transform'],
  ['br', { ...GZIP, 'cache-control': 'No-Transform' }, 'No-Transform'],
  ['gzip;q=0, br', GZIP, 'no-transform'],
  ['gzip', { 'content-encoding': 'gzip, aes' }, 'no-transform'],
  ['gzip, deflate, br', GZIP, undefined],
  ['GZIP;q=0.5', GZIP, undefined],
  ['*', GZIP, undefined],
  ['identity', { 'content-type': 'text/css' }, undefined],
])('the edge gets cache-control for %j and %j: %s', (accepted, stored, cacheControl) => {
  const { 'cache-control': reported, ...others } = kept(accepted, stored, false);
  const { 'cache-control': _, ...unchanged } = stored;
  expect([reported, others]).toEqual([cacheControl, unchanged]);
});

it.each<[string | null, Stored, string | undefined]>([
  ['identity', GZIP, 'GZIP'],
  ['br', GZIP, 'GZIP'],
  ['gzip;q=0.1, br', GZIP, 'GZIP'],
  ['gzip, br', { ...GZIP, 'content-encoding': 'br' }, 'BR'],
  ['identity', { 'content-encoding': 'gzip' }, 'GZIP'],
  ['identity', { ...GZIP, 'content-type': 'image/svg+xml' }, 'GZIP'],
  ['identity', { ...GZIP, 'content-type': 'binary/octet-stream' }, 'gzip'],
  ['identity', { ...GZIP, 'content-type': 'image/png' }, 'gzip'],
  ['identity', { ...GZIP, 'content-encoding': 'zstd' }, 'zstd'],
  ['deflate, gzip, br', GZIP, 'gzip'],
  [null, GZIP, 'gzip'],
  ['identity', {}, undefined],
])('the dev server is shown for %j and %j: %s', (accepted, stored, coding) => {
  const { 'content-encoding': shown, ...others } = kept(accepted, stored, true);
  const { 'content-encoding': _, ...unchanged } = stored;
  expect([shown, others]).toEqual([coding, unchanged]);
});
