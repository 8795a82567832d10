// The TypeScript type of a JSON schema, as far as the API's document uses schemas. A keyword that
// only narrows values (lengths, patterns, bounds) has no type and is left out.

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly description?: string;
};

/** Longest line of a generated type, columns. */
const LINE_MAX = 96;
const NAME = /^[A-Za-z_$][\w$]*$/;

/** Whether a union or intersection stands outside of all braces. */
function isJoined(type: string): boolean {
  let depth = 0;
  for (const [at, character] of [...type].entries()) {
    if ('{<('.includes(character)) depth++;
    if ('}>)'.includes(character)) depth--;
    if (depth === 0 && '|&'.includes(character) && type[at + 1] === ' ') return true;
  }
  return false;
}

const inBrackets = (type: string) => (isJoined(type) ? `(${type})` : type);
const quote = (value: unknown) =>
  typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : `${value}`;

/** Joins types that stand in a line of their own where they are too many for one. */
function joined(types: readonly string[], sign: '|' | '&', indent: string): string {
  const unique = [...new Set(types)];
  const line = unique.map((type) => (sign === '&' ? inBrackets(type) : type)).join(` ${sign} `);
  const first = line.split('\n')[0] ?? '';
  if (
    unique.length === 1 ||
    (!line.includes('\n') && indent.length + first.length <= LINE_MAX - 20)
  )
    return line;
  return unique.map((type) => `\n${indent}  ${sign} ${type}`).join('');
}

/**
 * Text of the type; lines after the first begin with `indent`. Throws on a schema that it does not
 * know.
 */
export function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum !== undefined) return joined(schema.enum.map(quote), '|', indent);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    return joined(
      choices.map((choice) => typeOf(choice, `${indent}    `)),
      '|',
      indent,
    );
  }
  if (schema.allOf !== undefined) {
    // How the document writes a component that may be null, or has a description of its own.
    const parts = schema.allOf.filter(({ $ref, allOf, properties, additionalProperties }) =>
      [$ref, allOf, properties, additionalProperties].some((keyword) => keyword !== undefined),
    );
    const isNullable = schema.allOf.some(
      ({ type }) => Array.isArray(type) && type.includes('null'),
    );
    if (parts.length === 1 && parts[0] !== undefined) {
      return `${typeOf(parts[0], indent)}${isNullable ? ' | null' : ''}`;
    }
    return joined(
      parts.map((part) => typeOf(part, `${indent}    `)),
      '&',
      indent,
    );
  }
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (names.length === 0)
    return schema.properties === undefined ? 'unknown' : objectType(schema, indent);
  return joined(
    names.map((name) => typeNamed(name, schema, indent)),
    '|',
    indent,
  );
}

function typeNamed(name: string, schema: Schema, indent: string): string {
  if (name === 'integer' || name === 'number') return 'number';
  if (name === 'array') return `${inBrackets(typeOf(schema.items ?? {}, indent))}[]`;
  if (name === 'object') return objectType(schema, indent);
  if (name === 'string' || name === 'boolean' || name === 'null') return name;
  throw new Error(`A type that no client knows: ${name}`);
}

function objectType(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const isOptional = !required.includes(name);
    const shown = NAME.test(name) ? name : `'${name}'`;
    const type = typeOf(field, `${indent}  `);
    const doc = field.description === undefined ? '' : docOf(field.description, `${indent}  `);
    const absent = isOptional && type !== 'unknown' ? ' | undefined' : '';
    return `${doc}${indent}  ${shown}${isOptional ? '?' : ''}: ${type}${absent};`;
  });
  if (fields.length > 0) return `{\n${fields.join('\n')}\n${indent}}`;
  if (typeof additionalProperties !== 'object') return 'Record<string, unknown>';
  return `Record<string, ${typeOf(additionalProperties, indent)}>`;
}

/** A description as the comment before a field, in lines that fit. */
export function docOf(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll('*/', '').split(/\s+/)) {
    if (line !== '' && indent.length + line.length + word.length > LINE_MAX - 6) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  lines.push(line);
  if (lines.length === 1) return `${indent}/** ${line} */\n`;
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join('')}${indent} */\n`;
}
