// The API's own description, OpenAPI 3.1: what the routes say of themselves, and
// what is true of all of them. app.ts makes it once, when somebody first requests
// it.
import { FRESH_BY_HEADER } from '../../http/fresh-by.ts';
import type { Api } from '../routing/api-call.ts';
import { PROBLEM_TYPE, problemSchema } from '../routing/problem.ts';

const DESCRIPTION = `Everything that a console, a script or a program needs of Quayside besides \
the bytes, which go by S3.

**Signing in.** Scripts send \`Authorization: Bearer qst_…\` (POST /tokens makes them); browsers \
sign in (POST /sessions) and
keep a cookie. **Errors** are problem details (RFC 9457); programs branch on \`code\`. \
**Repeating a POST** is safe with the header
\`Idempotency-Key\`. **Lists** come in pages: send \`nextCursor\` back as \`cursor\`. \
**Settings** have an ETag; changing them needs
If-Match. **Limits** stand in the headers RateLimit and RateLimit-Policy; 429 says in \
Retry-After when to come back.`;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your own: a repeated request with the same one ' +
    'is answered again for a day, not done again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const FRESH_BY = {
  name: FRESH_BY_HEADER,
  in: 'header',
  required: false,
  description:
    '`1`: the response has the same header with the time ' +
    'from which no tier anywhere shows the past any more.',
  schema: { type: 'string', enum: ['1'] },
} as const;

/**
 * Whether a route changes what readers of a bucket are shown, and has done so in
 * its response.
 */
function canReportFreshBy(
  path: string,
  method: string,
  { isReadOnly, responses }: Operation,
): boolean {
  return (
    path.startsWith('/buckets/{bucket}') &&
    method !== 'get' &&
    isReadOnly === undefined &&
    !('202' in responses)
  );
}

type Operation = {
  parameters?: object[];
  responses: Record<string, object>;
  access?: unknown;
  isReadOnly?: unknown;
};

/** The document as JSON. */
export function documentJson(api: Api, basePath: string): string {
  api.openAPIRegistry.register('Problem', problemSchema);
  api.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
  });
  api.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-quayside',
  });
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Quayside', version: '1', description: DESCRIPTION },
    servers: [{ url: basePath }],
  });
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const added = [
        ...(method === 'post' ? [IDEMPOTENCY_KEY] : []),
        ...(canReportFreshBy(path, method, operation) ? [FRESH_BY] : []),
      ];
      if (added.length > 0) operation.parameters = [...(operation.parameters ?? []), ...added];
      // What api-route.ts alone reads of a description is no part of the document.
      delete operation.access;
      delete operation.isReadOnly;
      operation.responses.default = {
        description: 'What went wrong',
        content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      };
    }
  }
  return JSON.stringify(document, withoutFlags);
}

/**
 * A replacer for JSON: patterns of the document are expressions without slashes and
 * flags. The generator writes `…$/u` for one with a flag, which no text matches.
 * Source: JSON Schema 2020-12, section 6.4, which has patterns read as Unicode
 * anyway.
 */
function withoutFlags(field: string, value: unknown): unknown {
  return field === 'pattern' && typeof value === 'string' && value.endsWith(FLAG)
    ? value.slice(0, -FLAG.length)
    : value;
}
const FLAG = '/u';
