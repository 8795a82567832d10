// Writes the types of the client, src/client/api-types.ts, from the OpenAPI document of the API:
// `node scripts/client-types.ts`. A test compares the file with what this makes.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readOpenApiDocument } from '../src/api/app.ts';
import { docOf, type Schema, typeOf } from './client-types/type-of.ts';

export const CLIENT_TYPES_PATH = fileURLToPath(
  new URL('../src/client/api-types.ts', import.meta.url),
);

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  description?: string;
};
type Content = { content?: Record<string, { schema?: Schema }>; required?: boolean };
type Operation = {
  summary: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const JSON_TYPE = 'application/json';
const HEAD = `// The routes of the JSON API and their data. Made from the OpenAPI document by
// scripts/client-types.ts: change the routes and run it, not this file.
`;

/** Parameters of one place as an object's schema; null: there are none. */
function objectOf(parameters: readonly Parameter[], place: string): Schema | null {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

const fieldOf = (name: string, schema: Schema | null, isOptional: boolean): string[] =>
  schema === null ? [] : [`    ${name}${isOptional ? '?' : ''}: ${typeOf(schema, '    ')};`];

/** What comes back: `Response` where it is a file or a redirect, which is left to the caller. */
function answerOf(responses: Operation['responses']): string {
  const [status = '', response] =
    Object.entries(responses).find(([name]) => name !== 'default') ?? [];
  const types = Object.keys(response?.content ?? {});
  const isFile = types.some((type) => type !== JSON_TYPE) || status.startsWith('3');
  if (isFile) return 'Response';
  const schema = response?.content?.[JSON_TYPE]?.schema;
  return schema === undefined ? 'undefined' : typeOf(schema, '    ');
}

function routeType(
  name: string,
  { summary, parameters = [], requestBody, responses }: Operation,
): string {
  const query = objectOf(parameters, 'query');
  const body = requestBody?.content?.[JSON_TYPE]?.schema ?? null;
  const lines = [
    ...fieldOf('path', objectOf(parameters, 'path'), false),
    ...fieldOf('query', query, (query?.required ?? []).length === 0),
    ...fieldOf('body', body, requestBody?.required !== true),
    `    answer: ${answerOf(responses)};`,
  ];
  return `${docOf(`${summary}.`, '  ')}  '${name}': {\n${lines.join('\n')}\n  };`;
}

/** The text of the file. */
export function clientTypes(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};\n`);
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      routeType(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const table =
    `/** Every route: what it takes and what it answers. */\nexport type Routes = ` +
    `{\n${routes.join('\n')}\n};\n`;
  return `${HEAD}\n${schemas.join('\n')}\n${table}`.replace(/ \n/g, '\n');
}

export const makeClientTypes = (): string => clientTypes(JSON.parse(readOpenApiDocument()));

if (import.meta.main) await writeFile(CLIENT_TYPES_PATH, makeClientTypes());
