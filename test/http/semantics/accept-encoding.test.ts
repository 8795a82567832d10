import { describe, expect, it } from 'vitest';
import { createAcceptedCodings } from '../../../src/http/semantics/accept-encoding.ts';

const accepted = createAcceptedCodings();

describe('what a client takes', () => {
  it.each([
    [null, ''],
    ['', ''],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br zstd gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip br'],
    ['br;q=0.5,gzip;q=0.5', 'br gzip'],
    ['gzip;q=0', ''],
    ['gzip;q=0.000, br;q=0.001', 'br'],
    ['GZip ; Q=1.000', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br zstd gzip'],
    ['*;q=0.5, gzip', 'gzip br zstd'],
    ['*;q=0', ''],
    ['*;q=0, zstd', 'zstd'],
    ['identity', ''],
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, br, gzip;q=0.4', 'br'],
    ['identity, gzip;q=0.9', ''],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0', ''],
    ['deflate, compress', ''],
    ['br;q=2', ''],
    ['br;q=0.1234', ''],
    ['br;level=5, gzip', 'gzip'],
    ['br gzip', ''],
    [',, br ,', 'br'],
    [`${'x,'.repeat(600)}br`, ''],
  ])('%j: %j', (header, codings) => {
    for (let time = 0; time < 2; time++) expect(accepted(header).join(' ')).toBe(codings);
  });

  it('is remembered for a while, and right for ever', () => {
    for (let n = 0; n < 200; n++) expect(accepted(`br, x-${n}`)).toEqual(['br']);
    expect(accepted('gzip')).toBe(accepted('gzip'));
  });
});
