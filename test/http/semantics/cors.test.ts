import { describe, expect, it } from 'vitest';
import type { CorsRule } from '../../../src/domain/bucket-settings.ts';
import {
  corsHeaders,
  findCorsGrant,
  grantHeaders,
  parseRequestedHeaders,
  withCors,
} from '../../../src/http/semantics/cors.ts';

const rule = (changes: Partial<CorsRule>): CorsRule => ({
  id: null,
  allowedMethods: ['GET'],
  allowedOrigins: ['*'],
  allowedHeaders: [],
  exposeHeaders: [],
  maxAgeSeconds: null,
  ...changes,
});
const request = (headers: Record<string, string>, method = 'GET') => ({
  method,
  header: (name: string) => headers[name] ?? null,
});
const ask = (
  rules: readonly CorsRule[],
  origin: string,
  method = 'GET',
  requestedHeaders: string[] = [],
) => findCorsGrant(rules, { origin, method, requestedHeaders });

describe('the origin', () => {
  const table: [pattern: string, origin: string, isAllowed: boolean][] = [
    ['*', 'https://a.example', true],
    ['*', 'null', true],
    ['https://a.example', 'https://a.example', true],
    ['https://a.example', 'https://a.example:8443', false],
    ['https://a.example', 'http://a.example', false],
    ['https://a.example', 'https://A.example', false],
    ['https://*.example', 'https://a.b.example', true],
    ['https://*.example', 'https://.example', true],
    ['https://*.example', 'https://example', false],
    ['https://*.example', 'https://a.example.evil', false],
    ['*suffix', 'foo.suffix', true],
    ['*suffix', 'suffix', true],
    ['*suffix', 'foo.suffix.get', false],
    ['start*end', 'startend', true],
    ['start*end', 'start12end', true],
    ['start*end', '0start12end', false],
    ['prefix*', 'prefix.suffix', true],
    ['prefix*', 'bla.prefix', false],
    ['aba*aba', 'aba', false],
    ['a.c', 'abc', false],
    ['*', 'https://a.example\r\nx: y', false],
  ];
  it.each(table)('%s and %s: %s', (pattern, origin, isAllowed) => {
    expect(ask([rule({ allowedOrigins: ['no', pattern] })], origin) !== null).toBe(isAllowed);
  });
});

describe('method and headers', () => {
  const rules = [
    rule({ id: 'get', allowedMethods: ['GET', 'HEAD'] }),
    rule({ id: 'put', allowedMethods: ['PUT'], allowedHeaders: ['Content-Type', 'x-amz-*'] }),
    rule({
      id: 'all',
      allowedMethods: ['PUT', 'DELETE'],
      allowedHeaders: ['*'],
      allowedOrigins: ['https://own'],
    }),
  ];
  const table: [origin: string, method: string, headers: string[], id: string | null][] = [
    ['https://x', 'GET', [], 'get'],
    ['https://x', 'HEAD', [], 'get'],
    ['https://x', 'get', [], null],
    ['https://x', 'POST', [], null],
    ['https://x', 'GET', ['range'], null],
    ['https://x', 'PUT', [], 'put'],
    ['https://x', 'PUT', ['content-type', 'x-amz-meta-a'], 'put'],
    ['https://x', 'PUT', ['content-type', 'authorization'], null],
    ['https://own', 'PUT', ['content-type'], 'put'],
    ['https://own', 'PUT', ['content-type', 'authorization'], 'all'],
    ['https://own', 'PUT', ['no name'], null],
    ['https://own', 'DELETE', [], 'all'],
    ['https://x', 'DELETE', [], null],
    ['https://own', 'PUT', Array.from({ length: 101 }, (_, at) => `h${at}`), null],
  ];
  it.each(table)('%s %s %j: %s', (origin, method, headers, id) => {
    expect(ask(rules, origin, method, headers)?.rule.id ?? null).toBe(id);
  });

  it('reads a list of names', () => {
    expect(parseRequestedHeaders(null)).toEqual([]);
    expect(parseRequestedHeaders(' X-A ,x-b,, ')).toEqual(['x-a', 'x-b']);
  });
});

describe('what a browser hears', () => {
  const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';
  const rich = rule({
    allowedOrigins: ['https://*'],
    allowedMethods: ['GET', 'PUT'],
    exposeHeaders: ['etag', 'x-a'],
    maxAgeSeconds: 0,
  });

  it('names the origin, with credentials', () => {
    const grant = ask([rich], 'https://a');
    expect(grant && grantHeaders(grant, ['x-b'])).toEqual({
      'access-control-allow-origin': 'https://a',
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'x-b',
      'access-control-expose-headers': 'etag, x-a',
      'access-control-max-age': '0',
      'access-control-allow-credentials': 'true',
      vary: VARY,
    });
  });

  it('is a star without credentials where the rule lets in all', () => {
    expect(corsHeaders([rule({})], request({ origin: 'https://a' }))).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      vary: VARY,
    });
  });

  it('is Vary alone without an origin or for one that no rule has; nothing without rules', () => {
    expect(corsHeaders([rich], request({}))).toEqual({ vary: VARY });
    expect(corsHeaders([rich], request({ origin: 'http://a' }))).toEqual({ vary: VARY });
    expect(corsHeaders([rich], request({ origin: 'https://a' }, 'DELETE'))).toEqual({ vary: VARY });
    expect(corsHeaders(null, request({ origin: 'https://a' }))).toBe(null);
  });

  it('goes by the method that is asked for, as S3 does', () => {
    const headers = { origin: 'https://a', 'access-control-request-method': 'PUT' };
    expect(corsHeaders([rich], request(headers, 'DELETE'))).toHaveProperty(
      'access-control-allow-origin',
      'https://a',
    );
    expect(
      corsHeaders([rich], request({ ...headers, 'access-control-request-method': 'POST' })),
    ).toEqual({
      vary: VARY,
    });
  });

  it('joins a Vary that is there', () => {
    expect(withCors({ vary: 'accept-encoding', etag: '"e"' }, { vary: VARY })).toEqual({
      vary: `accept-encoding, ${VARY}`,
      etag: '"e"',
    });
  });
});
