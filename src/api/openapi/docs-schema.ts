// JSON schemas as people read them: a line that says what a value is, and a list of
// its fields. docs-html.ts calls it.
import { escapeHtml } from '../../core/escape-html.ts';

/** The part of JSON Schema that the API's document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

/**
 * Text of the document, in which `code` and **strong** are marked as in Markdown.
 */
export function proseHtml(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]*)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]*)\*\*/g, '<strong>$1</strong>');
}

const codeHtml = (text: string) => `<code>${escapeHtml(text)}</code>`;

/** One line: type, bounds, values, description. */
export function schemaLine(schema: Schema): string {
  const { description, example, default: preset, pattern } = schema;
  const facts = [
    typeHtml(schema),
    boundsText(schema),
    ...(pattern === undefined ? [] : [`matches ${codeHtml(pattern)}`]),
    ...(preset === undefined ? [] : [`default ${codeHtml(JSON.stringify(preset))}`]),
    ...(example === undefined ? [] : [`such as ${codeHtml(JSON.stringify(example))}`]),
  ];
  const line = `<span class="soft">${facts.filter((fact) => fact !== '').join(', ')}</span>`;
  return description === undefined ? line : `${line} ${proseHtml(description)}`;
}

function typeHtml(schema: Schema): string {
  const { $ref, type, format, items, additionalProperties: values } = schema;
  if ($ref !== undefined) {
    const name = escapeHtml($ref.slice($ref.lastIndexOf('/') + 1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => codeHtml(JSON.stringify(value))).join(' or ');
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeHtml).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeHtml).join(' and ');
  if (items !== undefined) return `array of ${typeHtml(items)}`;
  if (typeof values === 'object') return `map to ${typeHtml(values)}`;
  const name = typeof type === 'object' ? type.join(' or ') : (type ?? 'any value');
  return escapeHtml(format === undefined ? name : `${name} (${format})`);
}

/** `1 to 255 characters`, `at most 50 items`; empty: no bounds. */
function boundsText(schema: Schema): string {
  const ranges = [
    rangeText(schema.minLength, schema.maxLength, ' characters'),
    rangeText(schema.minItems, schema.maxItems, ' items'),
    rangeText(schema.minimum, schema.maximum, ''),
  ];
  return ranges.filter((range) => range !== '').join(', ');
}

function rangeText(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return `at least ${min}${unit}`;
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`;
}

/**
 * The fields of an object, and of what it is made of, as a list in a list; empty:
 * it has none.
 */
export function fieldsHtml(schema: Schema): string {
  const { properties = {}, required = [], items, additionalProperties: values } = schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const need = required.includes(name) ? '' : ' <span class="soft">optional</span>';
    return `<li>${codeHtml(name)}${need} ${schemaLine(field)}${fieldsHtml(field)}</li>\n`;
  });
  const own = fields.length === 0 ? '' : `<ul>\n${fields.join('')}</ul>\n`;
  const parts = [
    ...(items === undefined ? [] : [items]),
    ...(typeof values === 'object' ? [values] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return own + parts.map(fieldsHtml).join('');
}
