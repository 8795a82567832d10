import { describe, expect, it } from 'vitest';
import { requireSameSite } from '../../src/api/requests/credentials.ts';
import { makeRequest } from '../http/s3/kit/make-request.ts';

/** A change that a browser sends with its cookie to the host `console.test`. */
const change =
  (headers: Record<string, string>, method = 'POST') =>
  () =>
    requireSameSite(
      makeRequest({
        method,
        target: '/-/api/v1/sessions',
        headers: { host: 'console.test', ...headers },
      }),
    );

describe('a change that a browser sends', () => {
  // Behind a proxy the host that the server sees may be another than the page's.
  const elsewhere = { origin: 'https://outside.test' };

  it.each([
    ['from a page of the same origin', { 'sec-fetch-site': 'same-origin', ...elsewhere }],
    ['from the address bar', { 'sec-fetch-site': 'none', ...elsewhere }],
    ['from an old browser on the same host', { origin: 'https://console.test' }],
    ['from a tool, which sends neither header', {}],
    ['with a bearer token', { 'sec-fetch-site': 'cross-site', authorization: 'Bearer x' }],
  ])('is let through %s', (_, headers) => {
    expect(change(headers)).not.toThrow();
  });

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['from an old browser on another host', { origin: 'https://outside.test' }],
    ['from a page without an origin', { origin: 'null' }],
  ])('is refused %s', (_, headers) => {
    expect(change(headers)).toThrow(expect.objectContaining({ code: 'CrossSiteRequest' }));
    expect(change(headers, 'GET')).not.toThrow();
  });
});
