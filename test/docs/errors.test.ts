// Every code has its row in docs/errors.md, and `type` of each problem leads to an anchor there is.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorsPage } from '../../scripts/errors-page.ts';
import { ERROR_HELP } from '../../src/api/error-help.ts';
import { docsHtml } from '../../src/api/openapi/docs-html.ts';
import { respondDocs } from '../../src/api/openapi/docs-page.ts';
import { problemResponse } from '../../src/api/routing/problem.ts';
import { escapeHtml } from '../../src/core/escape-html.ts';
import { ERROR_MESSAGES, type ErrorCode, StorageError } from '../../src/domain/errors.ts';
import { startMemoryApi } from '../api/memory-api.ts';
import { makeRequest } from '../http/s3/kit/make-request.ts';

const codes = Object.keys(ERROR_MESSAGES) as ErrorCode[];
const markdown = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const { document } = await startMemoryApi();
const html = docsHtml(JSON.stringify(document));

it('docs/errors.md is made anew by `node scripts/errors-page.ts`', () => {
  expect(markdown).toBe(errorsPage());
});

describe.each(codes)('%s', (code) => {
  it('has one heading, a cause and a way out', () => {
    expect(markdown.split(`\n### ${code}\n`)).toHaveLength(2);
    for (const sentence of ERROR_HELP[code]) expect(sentence).toMatch(/^[A-Z`].*[.]$/);
  });

  it('is a problem whose type leads to its cause on a page that is served', async () => {
    const { type, code: shown } = JSON.parse(problemResponse(new StorageError(code), 'R').body);
    const { pathname, hash } = new URL(type, 'https://files.example/-/api/v1/buckets');
    const path = pathname.replace('/-', '');
    const request = makeRequest({ method: 'GET', target: pathname, body: [] });
    const page = await (await respondDocs(request, path, { requestId: 'R', page: html })).text();
    expect(hash).toBe(`#${shown}`);
    const [, atAnchor] = page.split(` id="${shown}"`);
    const [cause] = ERROR_HELP[shown as ErrorCode];
    expect(atAnchor?.split('<dt')[0]).toContain(escapeHtml(cause));
  });
});
