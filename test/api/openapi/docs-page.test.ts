// The page of the API: its conditions, its policy, and that it says all that the document does.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { docsHtml } from '../../../src/api/openapi/docs-html.ts';
import { respondDocs } from '../../../src/api/openapi/docs-page.ts';
import { SCOPES } from '../../../src/core/auth/permissions.ts';
import { ERROR_STATUS } from '../../../src/http/semantics/error-status.ts';
import { makeRequest } from '../../http/s3/kit/make-request.ts';
import { startMemoryApi } from '../memory-api.ts';

const { document } = await startMemoryApi();
const page = docsHtml(JSON.stringify(document));
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  respondDocs(makeRequest({ method, target: `/-${path}`, headers, body: [] }), path, {
    requestId: 'R',
    page,
  });
const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));

it('the page is not modified by any form of its tag', async () => {
  const etag = (await ask('/docs')).headers.get('etag') ?? '';
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    expect((await ask('/docs', 'GET', { 'if-none-match': tag })).status).toBe(304);
  }
  expect((await ask('/docs', 'GET', { 'if-none-match': '"other"' })).status).toBe(200);
});

it('the page fails for HEAD without a body', async () => {
  const missing = await ask('/docs/none', 'HEAD');
  expect([missing.status, await missing.text()]).toEqual([404, '']);
  const refused = await ask('/docs', 'DELETE');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('the page runs no script, and its policy allows its style sheet and nothing else', async () => {
  const response = await ask('/docs');
  const html = await response.text();
  expect(html).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|javascript:/i);
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '');
  expect(styles).toHaveLength(1);
  const digest = createHash('sha256')
    .update(styles[0] ?? '')
    .digest('base64');
  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox',
  ]);
});

it('the page describes every operation, every schema and every code that a client may meet', () => {
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  )
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations.filter((id) => !ids.has(id))).toEqual([]);
  const schemas = Object.keys(document.components.schemas);
  expect(schemas.filter((name) => !ids.has(`schema-${name}`))).toEqual([]);
  const codes = Object.entries(ERROR_STATUS).filter(
    ([code, status]) => status !== 500 || code === 'InternalError',
  );
  expect(codes.map(([code]) => code).filter((code) => !ids.has(code))).toEqual([]);
});

it('the page names scopes that there are, and says of sessions that they are none', () => {
  const scopes = new Set(
    [...page.matchAll(/Needs the scope <code>([^<]+)<\/code>/g)].map(([, scope]) => scope),
  );
  expect([...scopes].filter((scope) => !SCOPES.some((known) => known === scope))).toEqual([]);
  expect(page).toMatch(
    /id="changePassword">[\s\S]{0,300}Needs a session in which a secret was shown/,
  );
});

it('the page links to nothing that is not there, and marks up no text of the document', () => {
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');
  const dead = links.filter((href) =>
    href.startsWith('#') ? !ids.has(href.slice(1)) : href !== '/-/api/openapi.json',
  );
  expect(dead).toEqual([]);
  const hostile = structuredClone(document);
  const schemas = hostile.components.schemas;
  schemas.Problem = { type: 'string', description: '<script>x</script>', example: '"><img src=x>' };
  expect(docsHtml(JSON.stringify(hostile))).not.toMatch(/<script|<img/);
});
