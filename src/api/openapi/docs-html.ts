// The page of the API, made of its OpenAPI document: what it is, every operation by
// subject, every schema, every error code with cause and way out, at the address
// that `type` of a problem names. Pure; lazy-api.ts keeps what it makes.
import { escapeHtml } from '../../core/escape-html.ts';
import { ERROR_MESSAGES, type ErrorCode } from '../../domain/errors.ts';
import { ERROR_STATUS } from '../../http/semantics/error-status.ts';
import { ERROR_HELP } from '../error-help.ts';
import { fieldsHtml, proseHtml, type Schema, schemaLine } from './docs-schema.ts';
import { DOCS_STYLE } from './docs-style.ts';

type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly 'x-quayside-access': string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
};

type Document = {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

type Route = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The whole page. Cost: 5 ms. */
export function docsHtml(documentJson: string): string {
  const document: Document = JSON.parse(documentJson);
  const tags = routesByTag(document);
  const schemas = Object.entries(document.components.schemas);
  const intro = document.info.description
    .split('\n\n')
    .map((text) => `<p>${proseHtml(text)}</p>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quayside API</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<nav>
${[...tags].map(([tag, routes]) => tagLinks(tag, routes)).join('')}<a href="#schemas">Schemas</a>
<br><a href="#errors">Errors</a>
</nav>
<main>
<h1>Quayside API</h1>
${intro.join('')}<p>The same for programs: <a href="/-/api/openapi.json">openapi.json</a>.</p>
${[...tags].map(([tag, routes]) => tagHtml(tag, routes)).join('')}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaHtml(name, schema)).join('')}
<h2 id="errors">Errors</h2>
<dl>
${errorsHtml()}</dl>
</main>
</body>
</html>
`;
}

function routesByTag({ paths, servers }: Document): ReadonlyMap<string, Route[]> {
  const tags = new Map<string, Route[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? '';
      const routes = tags.get(tag) ?? [];
      routes.push({
        method: method.toUpperCase(),
        path: `${servers[0]?.url ?? ''}${path}`,
        operation,
      });
      tags.set(tag, routes);
    }
  }
  return tags;
}

function tagHtml(tag: string, routes: readonly Route[]): string {
  return `<h2>${escapeHtml(tag)}</h2>\n${routes.map(routeHtml).join('')}`;
}

function tagLinks(tag: string, routes: readonly Route[]): string {
  const links = routes.map(({ operation: { operationId, summary } }) => {
    const link = `<a href="#${escapeHtml(operationId)}">${escapeHtml(summary)}</a>`;
    return `<li>${link}</li>\n`;
  });
  return `${escapeHtml(tag)}\n<ul>\n${links.join('')}</ul>\n`;
}

/**
 * The id is inside: a browser opens what is closed around the target of a link, not
 * the target.
 */
function routeHtml({ method, path, operation }: Route): string {
  const { operationId, summary, description, requestBody, responses } = operation;
  const target = `<code class="method">${method}</code> <code>${escapeHtml(path)}</code>`;
  const prose = description === undefined ? '' : `<p>${proseHtml(description)}</p>\n`;
  const body = requestBody === undefined ? '' : `<h4>Body</h4>\n${contentHtml(requestBody)}`;
  const outcomes = Object.entries(responses).map(
    ([status, response]) =>
      `<li>${status} ${proseHtml(response.description)} ${contentHtml(response)}</li>\n`,
  );
  return `<details>
<summary>${target} ${escapeHtml(summary)}</summary>
<div id="${escapeHtml(operationId)}">
${prose}<p class="soft">${accessHtml(operation)}</p>
${parametersHtml(operation)}${body}<h4>Responses</h4>
<ul>
${outcomes.join('')}</ul>
</div>
</details>
`;
}

function parametersHtml({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  return `<h4>Parameters</h4>\n<ul>\n${parameters.map(parameterHtml).join('')}</ul>\n`;
}

/**
 * Texts for who may call a route, where that is no scope (`Access` of api-call.ts).
 */
const ACCESS_TEXTS: ReadonlyMap<string, string> = new Map([
  ['everybody', 'For everybody.'],
  ['signed-in', 'For everybody who is signed in.'],
  ['session', 'Needs a session.'],
  ['recent-proof', 'Needs a session in which a secret was shown within ten minutes.'],
]);

function accessHtml(operation: Operation): string {
  const access = operation['x-quayside-access'];
  return ACCESS_TEXTS.get(access) ?? `Needs the scope <code>${escapeHtml(access)}</code>.`;
}

function parameterHtml({ name, in: place, required, description, schema }: Parameter): string {
  const need = required ? '' : ', optional';
  const term = `<code>${escapeHtml(name)}</code> <span class="soft">${place}${need}</span>`;
  const line = schemaLine(description === undefined ? schema : { ...schema, description });
  return `<li>${term} ${line}</li>\n`;
}

function contentHtml({ content = {} }: Content): string {
  return Object.values(content)
    .map(({ schema }) => `${schemaLine(schema)}\n${fieldsHtml(schema)}`)
    .join('');
}

function schemaHtml(name: string, schema: Schema): string {
  return `<details>
<summary>${escapeHtml(name)}</summary>
<div id="schema-${escapeHtml(name)}">
${schemaLine(schema)}
${fieldsHtml(schema)}</div>
</details>
`;
}

/**
 * Codes that leave the server; what else there is becomes an InternalError before
 * it does.
 */
function errorsHtml(): string {
  return Object.entries(ERROR_MESSAGES)
    .map(([name, message]) => {
      const code = name as ErrorCode;
      return { code, message, status: ERROR_STATUS[code], help: ERROR_HELP[code] };
    })
    .filter(({ code, status }) => status !== 500 || code === 'InternalError')
    .map(({ code, message, status, help: [cause, wayOut] }) => {
      const term = `<dt id="${escapeHtml(code)}"><code>${escapeHtml(code)}</code> ${status}</dt>`;
      const details = `<dd>${escapeHtml(cause)}</dd>\n<dd>${escapeHtml(wayOut)}</dd>`;
      return `${term}\n<dd>${escapeHtml(message)}</dd>\n${details}\n`;
    })
    .join('');
}
