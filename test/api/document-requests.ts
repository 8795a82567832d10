// Makes requests out of the API's own document: mostly such as it describes, some a little off,
// some nonsense. For the fuzz in memory (fuzz.test.ts) and over the wire; nothing here knows a
// route by name.
import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of any shape
type Json = any;

export type FuzzRequest = {
  readonly method: string;
  /** Below /-/api/v1, encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/**
 * Operations that hash passwords take 0.1 s each, and the one that signs out takes the fuzz's own
 * session.
 */
const RARE = new Set([
  'signIn',
  'createMember',
  'updateMember',
  'changePassword',
  'signOutEverywhere',
]);
const RARE_WEIGHT = 1;
const USUAL_WEIGHT = 20;

const STRANGE_TEXTS = [
  '',
  ' ',
  '*',
  '..',
  '%',
  '%00',
  '\u0000',
  'ä',
  '😀',
  '\ud800',
  "' OR 1=1 --",
  '__proto__',
  'a'.repeat(3000),
];

/**
 * Texts by what they are: the segment of the path that they came from or go behind (`buckets`), or
 * their field (`key`).
 */
export type NamedTexts = Readonly<Record<string, readonly string[]>>;

/**
 * Requests for the operations of the document; `known` are texts that mean something there: ids,
 * names, cursors; `named` those of which more is known.
 */
export function requestsOf(
  document: Json,
  known: readonly string[],
  named: NamedTexts = {},
): fc.Arbitrary<FuzzRequest> {
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 2, arbitrary: fc.constantFrom(...STRANGE_TEXTS) },
  );
  const texts: Texts = (name) => {
    const own = (name === null ? undefined : named[name]) ?? [];
    return own.length === 0
      ? text
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: text });
  };
  const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      path,
      method,
      operation: operation as Json,
    })),
  );
  return fc.oneof(
    ...operations.map(({ path, method, operation }) => ({
      weight: RARE.has(operation.operationId) ? RARE_WEIGHT : USUAL_WEIGHT,
      arbitrary: requestOf(document, { path, method, operation }, texts),
    })),
  );
}

/** One operation of a document, and what of its input is always the same. */
export type OperationInput = {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
};

/**
 * Query and body as the document describes them, for who fills in the path: nothing of it is off.
 */
export function rightInputsOf(
  document: Json,
  { operation }: Pick<OperationInput, 'operation'>,
  named: NamedTexts,
): fc.Arbitrary<{ readonly query: string; readonly body: string | null }> {
  const some = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 });
  const texts: Texts = (name) => {
    const own = (name === null ? undefined : named[name]) ?? [];
    return own.length === 0 ? some : fc.constantFrom(...own);
  };
  const inQuery = (operation.parameters ?? []).filter((p: Json) => p.in === 'query' && p.required);
  const query = fc.record(
    Object.fromEntries(
      inQuery.map((p: Json) => [p.name, valuesOf(document, p.schema, texts, 0, p.name)]),
    ),
  );
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  const body = schema === undefined ? fc.constant(undefined) : valuesOf(document, schema, texts, 0);
  return fc.record({ query, body }).map((made) => ({
    query: Object.entries(made.query)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join('&'),
    body: made.body === undefined ? null : JSON.stringify(made.body),
  }));
}

/** Texts of a name; null: of none. */
type Texts = (name: string | null) => fc.Arbitrary<string>;

function requestOf(
  document: Json,
  { path, method, operation }: { path: string; method: string; operation: Json },
  texts: Texts,
): fc.Arbitrary<FuzzRequest> {
  const parameters: Json[] = operation.parameters ?? [];
  const valuesFor = (schema: Json, name: string) =>
    fc.oneof(
      { weight: 3, arbitrary: valuesOf(document, schema, texts, 0, name) },
      { weight: 1, arbitrary: texts(name) },
    );
  const segments = path.split('/');
  const inPath = Object.fromEntries(
    parameters
      .filter((p) => p.in === 'path')
      .map((p) => {
        const before = segments[segments.indexOf(`{${p.name}}`) - 1] ?? '';
        return [
          p.name,
          fc.oneof(
            { weight: 3, arbitrary: texts(before) },
            { weight: 1, arbitrary: valuesFor(p.schema, p.name) },
          ),
        ];
      }),
  );
  const inQuery = Object.fromEntries(
    parameters
      .filter((p) => p.in === 'query')
      .map((p) => [p.name, fc.option(valuesFor(p.schema, p.name), { nil: undefined, freq: 3 })]),
  );
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  const right =
    schema === undefined ? fc.constant(undefined) : valuesOf(document, schema, texts, 0);
  const body = fc.oneof(
    {
      weight: 8,
      arbitrary: right.map((value) => (value === undefined ? null : JSON.stringify(value))),
    },
    { weight: 2, arbitrary: right.chain(spoiled).map((value) => JSON.stringify(value) ?? null) },
    { weight: 1, arbitrary: fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ maxLength: 30 })) },
  );
  const headers = fc.record({
    'if-match': fc.constantFrom(undefined, '*', '*', '"1"', 'nonsense', '"a", "b"'),
    'content-type': fc.constantFrom(
      ...Array(12).fill('application/json'),
      'text/plain',
      'application/json; charset=x',
      undefined,
    ),
    'idempotency-key': fc.constantFrom(
      undefined,
      undefined,
      undefined,
      'one',
      'two',
      'not ascii ü',
    ),
  });
  return fc
    .record({
      path: fc.record(inPath),
      query: fc.record(inQuery),
      body,
      headers,
      extra: fc.boolean(),
    })
    .map((made) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
        encode((made.path as Record<string, unknown>)[name]),
      );
      const pairs = Object.entries(made.query).filter(([, value]) => value !== undefined);
      const query = pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&');
      return {
        method: method.toUpperCase(),
        path: query === '' ? filled : `${filled}?${query}`,
        headers: Object.fromEntries(
          Object.entries(made.headers).filter(([, value]) => value !== undefined),
        ) as Record<string, string>,
        body: method === 'get' ? null : made.body,
      };
    });
}

const encode = (value: unknown) => encodeURIComponent(String(value ?? '').toWellFormed());

/** What was right, with one thing wrong. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    fc.constantFrom(null, -1, 1e30, 0.5, '', [], {}, true, 'x'.repeat(5000), '\ud800', '\u0000'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return other;
  const names = Object.keys(value);
  const name = fc.oneof(fc.constantFrom(...names, 'unknown', '__proto__', 'constructor'));
  return fc.tuple(name, fc.option(other, { nil: undefined })).map(([key, replacement]) => {
    const copy: Record<string, unknown> = Object.fromEntries(Object.entries(value));
    if (replacement === undefined) delete copy[key];
    else
      Object.defineProperty(copy, key, {
        value: replacement,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    return copy;
  });
}

const DEPTH_MAX = 6;

function resolveRef(document: Json, ref: string): Json {
  let at: Json = document;
  for (const name of ref.slice(2).split('/')) at = at[name];
  return at;
}

/** Values that fit a schema, as far as its keywords are known here. */
function valuesOf(
  document: Json,
  schema: Json,
  texts: Texts,
  depth: number,
  name: string | null = null,
): fc.Arbitrary<unknown> {
  if (schema === undefined || schema === true || depth > DEPTH_MAX) return fc.constant(null);
  const deeper = (inner: Json) => valuesOf(document, inner, texts, depth + 1, name);
  if (schema.$ref !== undefined) return deeper(resolveRef(document, schema.$ref));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(deeper));
  if (schema.allOf !== undefined) {
    return fc
      .tuple(...schema.allOf.map(deeper))
      .map((parts) => Object.assign({}, ...(parts as object[])));
  }
  const types: string[] = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object'];
  return fc.oneof(
    ...types.map((type) => valuesOfType(document, schema, type, { texts, depth, name })),
  );
}

function valuesOfType(
  document: Json,
  schema: Json,
  type: string,
  { texts, depth, name }: { texts: Texts; depth: number; name: string | null },
): fc.Arbitrary<unknown> {
  const deeper = (inner: Json, of = name) => valuesOf(document, inner, texts, depth + 1, of);
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') {
    const [min, max] = [schema.minimum ?? -10, schema.maximum ?? 1000];
    return type === 'integer'
      ? fc.maxSafeInteger().map((n) => min + (Math.abs(n) % (max - min + 1)))
      : fc.double({ min, max, noNaN: true });
  }
  if (type === 'array')
    return fc.array(deeper(schema.items), {
      minLength: Math.min(schema.minItems ?? 0, 3),
      maxLength: 3,
    });
  if (type === 'string') return textsOf(schema, texts(name));
  const properties: [string, Json][] = Object.entries(schema.properties ?? {});
  const required: string[] = schema.required ?? [];
  const named = fc.record(
    Object.fromEntries(properties.map(([name, inner]) => [name, deeper(inner, name)])),
    {
      requiredKeys: required.filter((name) => name in (schema.properties ?? {})),
    },
  );
  if (typeof schema.additionalProperties !== 'object') return named;
  const free = fc.dictionary(
    fc.oneof(texts(null), fc.string({ minLength: 1, maxLength: 8 })),
    deeper(schema.additionalProperties),
    { maxKeys: 3 },
  );
  return fc.tuple(named, free).map(([a, b]) => ({ ...b, ...(a as object) }));
}

function textsOf(schema: Json, text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  if (schema.pattern === undefined) return text;
  try {
    return fc.oneof(fc.stringMatching(new RegExp(schema.pattern)), text);
  } catch {
    // fast-check makes nothing of classes of Unicode.
    return text;
  }
}
