// The client's types are those of the API as it is now.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { typeOf } from '../../scripts/client-types/type-of.ts';
import { CLIENT_TYPES_PATH, clientTypes, makeClientTypes } from '../../scripts/client-types.ts';
import { FILE_ROUTE, QUESTION } from '../../src/client/request.ts';

it('the types are generated anew whenever a route changes (node scripts/client-types.ts)', () => {
  expect(readFileSync(CLIENT_TYPES_PATH, 'utf8')).toBe(makeClientTypes());
});

describe('the pattern of routes', () => {
  const routes = makeClientTypes()
    .split(/^ {2}'(?=[A-Z]+ \/)/m)
    .slice(1)
    .map((text) => ({ name: text.slice(0, text.indexOf("'")), text }));

  it('that give a file meets just those whose answer is the response', () => {
    const files = routes.filter(({ text }) => text.includes('    answer: Response;'));
    expect(files).toHaveLength(4);
    expect(routes.filter(({ name }) => FILE_ROUTE.test(name))).toEqual(files);
  });

  it('that change nothing meets two', () => {
    expect(routes.map(({ name }) => name).filter((name) => QUESTION.test(name))).toEqual([
      'POST /buckets/{bucket}/presigned-urls',
      'POST /simulations',
    ]);
  });
});

it('the types differ when a field does', () => {
  const route = (type: string) =>
    clientTypes({
      paths: {
        '/things/{id}': {
          get: {
            summary: 'Look at a thing',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            responses: {
              '200': { content: { 'application/json': { schema: { type } } } },
              default: {},
            },
          },
        },
      },
      components: { schemas: {} },
    });
  expect(route('string')).toContain(
    "'GET /things/{id}': {\n    path: {\n      id: string;\n    };",
  );
  expect(route('string')).not.toBe(route('integer'));
});

it.each([
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
  [
    { allOf: [{ $ref: '#/components/schemas/Party' }, { type: ['object', 'null'] }] },
    'Party | null',
  ],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
  [{ type: 'object', properties: { a: { type: 'boolean' } } }, '{\n  a?: boolean | undefined;\n}'],
  [{ const: "O’Brien's" }, "'O’Brien\\'s'"],
])('the program writes %j', (schema, type) => {
  expect(typeOf(schema, '')).toBe(type);
});

it('the generator knows no schema that it would write wrongly', () => {
  expect(() => typeOf({ type: 'tuple' }, '')).toThrow('A type that no client knows');
});
