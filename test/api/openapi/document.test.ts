// The rules that every route keeps, checked on the API's own document.
import { describe, expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of any shape
type Json = any;

const { document } = await startMemoryApi();
const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({
    path,
    method,
    operation: operation as Json,
  })),
);
const each = operations.map((entry) => [entry.operation.operationId as string, entry] as const);

function resolve(schema: Json): Json {
  if (schema?.$ref === undefined) return schema;
  let at: Json = document;
  for (const name of schema.$ref.slice(2).split('/')) at = at[name];
  return at;
}

/** Routes that keep a rule otherwise, and why. */
const LOOSE: ReadonlySet<string> = new Set([
  // A card is checked by core, which names what it cannot use.
  'putRateCard',
]);
const WHOLE_LISTS: ReadonlySet<string> = new Set([
  // The index keeps the newest hundred of a bucket: that is one page.
  'listJobs',
  // Its pages end where a walk over the index does.
  'previewLifecycle',
]);

/**
 * Objects of a body that would take a field that nobody knows; maps say so by a schema for their
 * values.
 */
function loose(schema: Json, path: string, seen: Set<Json> = new Set()): string[] {
  const resolved = resolve(schema);
  if (resolved === undefined || seen.has(resolved)) return [];
  seen.add(resolved);
  const inner = [
    ...(resolved.anyOf ?? []),
    ...(resolved.allOf ?? []),
    ...(resolved.items === undefined ? [] : [resolved.items]),
  ];
  const properties = Object.entries(resolved.properties ?? {});
  const isOpen = resolved.properties !== undefined && resolved.additionalProperties === undefined;
  return [
    ...(isOpen ? [path] : []),
    ...inner.flatMap((part) => loose(part, path, seen)),
    ...properties.flatMap(([name, part]) => loose(part, `${path}/${name}`, seen)),
  ];
}

/** Changes that anybody may ask for: they begin with a secret, or with a challenge for one. */
const EVERYBODYS_CHANGES = [
  'signIn',
  'beginPasskeySignIn',
  'lookUpInvitation',
  'beginInvitedPasskey',
  'acceptInvitation',
];

function securityOf(access: string): object[] {
  if (access === 'everybody') return [];
  const session = { session: [] };
  return access === 'session' || access === 'recent-proof' ? [session] : [{ bearer: [] }, session];
}

describe('the document', () => {
  it('describes many routes, each under a name of its own', () => {
    expect(operations.length).toBeGreaterThan(25);
    expect(new Set(each.map(([name]) => name)).size).toBe(each.length);
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { scheme: 'bearer' },
      session: { in: 'cookie' },
    });
  });

  it.each(each)(
    '%s says what it does, who may call it and what may go wrong',
    (_, { method, operation }) => {
      expect(operation.summary).toMatch(/\S{2,}/);
      expect(operation.tags).toHaveLength(1);
      expect(typeof operation['x-quayside-access']).toBe('string');
      expect(operation.security).toEqual(securityOf(operation['x-quayside-access']));
      expect(operation.responses.default.content).toHaveProperty(['application/problem+json']);
      const names = (operation.parameters ?? []).map(({ name }: Json) => name);
      expect(names.includes('Idempotency-Key')).toBe(method === 'post');
    },
  );

  it('has no route that changes anything and asks for neither scope nor session', () => {
    const changing = operations.filter(({ method }) => method !== 'get');
    const namesOf = (access: string) =>
      changing
        .filter(({ operation }) => operation['x-quayside-access'] === access)
        .map(({ operation }) => operation.operationId)
        .toSorted();
    expect(namesOf('signed-in')).toEqual([]);
    expect(namesOf('everybody')).toEqual(EVERYBODYS_CHANGES.toSorted());
    expect(namesOf('session')).toEqual(['proveSession', 'putPreferences']);
    expect(namesOf('recent-proof')).toEqual([
      'beginPasskeyRegistration',
      'changePassword',
      'createPasskey',
      'deletePasskey',
    ]);
  });

  it('documents the freshness header for changes in a bucket alone', () => {
    const telling = operations.filter(({ operation }) =>
      operation.parameters?.some(({ name }: Json) => name === 'x-quayside-fresh-by'),
    );
    const names = telling.map(({ operation }) => operation.operationId);
    expect(names).toEqual(expect.arrayContaining(['updateBucket', 'deleteObject', 'purgeCaches']));
    for (const other of ['getBucket', 'startJob', 'presignUrls', 'createBucket'])
      expect(names).not.toContain(other);
  });

  it.each(each)(
    '%s takes no field that it does not know, and a list in pages',
    (name, { method, operation }) => {
      const body = operation.requestBody?.content?.['application/json']?.schema;
      // What browsers add to a passkey is theirs.
      const open = LOOSE.has(name) ? [] : loose(body, '');
      expect(open.filter((path) => !path.includes('/passkey'))).toEqual([]);
      const answer = resolve(operation.responses['200']?.content?.['application/json']?.schema);
      if (method !== 'get' || answer?.properties?.items === undefined || WHOLE_LISTS.has(name))
        return;
      const names = (operation.parameters ?? []).map(({ name }: Json) => name);
      if (answer.properties.nextCursor !== undefined)
        expect(names).toEqual(expect.arrayContaining(['limit', 'cursor']));
    },
  );
});

it('the document has patterns without slashes and flags, as JSON Schema reads them', () => {
  const patterns = new Set<string>();
  JSON.stringify(document, (field, value) => {
    if (field === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(20);
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\/[dgimsuvy]+$/);
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
  }
  const { displayName } = resolve(
    document.paths['/accounts'].post.requestBody.content['application/json'].schema,
  ).properties;
  expect('Ann').toMatch(new RegExp(displayName.pattern, 'u'));
});
