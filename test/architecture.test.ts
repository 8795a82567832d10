// The layer law, read from the imports themselves: http -> core -> ports <- index <- adapters,
// crypto below them all; only the roots know adapters. Also the house rules that a linter cannot
// know. A breach fails here with its file.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';

// Each parses all sources, which on a busy machine takes far longer than it does alone.
vi.setConfig({ testTimeout: 120_000 });

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

type Source = {
  /** Path below src, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and with empty strings. */
  readonly code: string;
  readonly imports: readonly string[];
};

/** Comments and the contents of strings and regular expressions are no code. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(
      /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(^|[^:])\/\/[^\n]*/g,
      (match, before) =>
        match.startsWith("'") || match.startsWith('"') || match.startsWith('`')
          ? "''"
          : (before ?? ''),
    );
}

const IMPORT = /(?:\bfrom |\bimport\(\s*|^import )'([^']+)'/gm;

const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    const lines = withoutComments(text);
    return {
      path,
      text,
      code: codeOf(text),
      imports: [...lines.matchAll(IMPORT)].map(([, name]) => name ?? ''),
    };
  });

/** Files directly in src are layers of their own: the roots and what they share. */
function layerOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'adapters' ? `adapters/${second}` : first;
}

const SERVER_NEEDS = [
  'http/request.ts',
  'http/observe/request-notes.ts',
  'http/delivery/fast-path/fast-path.ts',
  'http/delivery/fast-path/fast-response.ts',
  'core/ledger-rules.ts',
];
const ADAPTER_NEEDS = ['domain', 'ports', 'index', 'crypto', 'config.ts', 'adapters/shared'];

/** Which other layers a layer may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  crypto: [],
  core: ['domain', 'ports', 'crypto'],
  index: ['domain', 'ports', 'crypto'],
  http: ['core', 'domain', 'ports', 'crypto'],
  api: ['http', 'core', 'domain', 'ports', 'crypto'],
  // What users bundle: it knows the server by its API alone.
  client: [],
  // Runs in browsers: it knows the server by the client alone.
  console: ['client'],
  'link-pages': ['client'],
  // Runs on a Node of any age: it has nothing of the server but its version.
  bin: ['ports'],
  'config.ts': ['config', 'core', 'domain', 'ports'],
  config: ['core', 'domain', 'ports'],
  'app.ts': ['api', 'http', 'core', 'domain', 'ports', 'config.ts'],
  'worker.ts': [
    'worker-objects.ts',
    'app.ts',
    'config.ts',
    'core',
    'domain',
    'ports',
    'adapters/cloudflare',
    'adapters/shared',
  ],
  // The classes that worker.ts exports beside its handlers.
  'worker-objects.ts': ['config.ts', 'core', 'domain', 'ports', 'adapters/cloudflare'],
  'node.ts': ['serve-app.ts', 'config.ts', 'core', 'adapters/node', 'adapters/shared'],
  // The root of a further thread of node.ts, and what both of them start.
  'serving-thread.ts': ['serve-app.ts', 'adapters/node', 'adapters/shared'],
  'serve-app.ts': ['app.ts', 'config.ts', 'adapters/node'],
  'adapters/shared': ['domain', 'ports', 'crypto'],
  'adapters/memory': ADAPTER_NEEDS,
  // An adapter of a server also makes the requests that the surfaces read and the empty notes in
  // them, and sends the responses of the fast path. Where a platform runs the ledger it hands it
  // the pure function that prices receipts, which no thread or object could be sent (ADR 21).
  'adapters/node': [...ADAPTER_NEEDS, ...SERVER_NEEDS],
  'adapters/cloudflare': [...ADAPTER_NEEDS, ...SERVER_NEEDS],
};

/**
 * Which packages and built-in modules a layer may import: names, or prefixes that end in a colon.
 */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: [],
  core: [],
  index: [],
  crypto: ['node:crypto', 'node:zlib', 'lru-cache'],
  http: ['fast-xml-parser', 'mime'],
  api: [
    '@cantoo/pdf-lib',
    'hono',
    'hono/http-exception',
    '@hono/zod-openapi',
    '@simplewebauthn/server',
  ],
  client: [],
  console: [
    '@preact/signals',
    // Without the WebAssembly and the workers out of blobs that the page's policy refuses.
    'lucide',
    'marked',
    'preact',
    'preact/hooks',
    'quayside/client',
    'sugar-high/core',
    'sugar-high/lang',
  ],
  'link-pages': ['quayside/client'],
  bin: ['node:'],
  config: [],
  'config.ts': [],
  'app.ts': ['hono'],
  'worker.ts': ['cloudflare:'],
  'node.ts': ['node:'],
  'serving-thread.ts': ['node:'],
  'adapters/shared': ['lru-cache', 'stripe'],
  'adapters/memory': ['node:'],
  'adapters/node': [
    'node:',
    '@hono/node-server',
    '@hono/node-server/utils/response',
    '@pdf-lib/fontkit',
    'lru-cache',
    'prom-client',
    'sharp',
    'subset-font',
  ],
  'adapters/cloudflare': ['cloudflare:', 'lru-cache'],
};

/** Packages that one file alone of its layer may import, each with the reason. */
const ONE_FILE_MAY_USE: Readonly<Record<string, string>> = {
  'http/links/page/element.ts hono/jsx':
    'pages that are made of elements, so that every text of strangers is escaped in one place',
};

const isPackageAllowed = (path: string, name: string) =>
  `${path} ${name}` in ONE_FILE_MAY_USE ||
  (MAY_USE[layerOf(path)] ?? []).some((allowed) =>
    allowed.endsWith(':') ? name.startsWith(allowed) : name === allowed,
  );

/** A file of src that a relative import means. */
const resolved = (from: string, name: string) =>
  normalize(join(dirname(from), name)).replaceAll('\\', '/');

function breachesOfLayers({ path, imports }: Source): string[] {
  const layer = layerOf(path);
  const allowed = MAY_IMPORT[layer];
  if (allowed === undefined) return [`${path}: no layer of this name is known`];
  return imports.flatMap((name) => {
    if (!name.startsWith('.'))
      return isPackageAllowed(path, name) ? [] : [`${path} must not use ${name}`];
    const target = resolved(path, name);
    const isFine =
      layerOf(target) === layer || allowed.includes(layerOf(target)) || allowed.includes(target);
    return isFine ? [] : [`${path} must not import ${target}`];
  });
}

/** Relative imports that leave something behind when types are stripped. */
function valueImports({ path, text }: Source): readonly string[] {
  const imports = text.matchAll(/^(?:import|export)\s([^;']*?)\bfrom '(\.[^']+)';/gm);
  return [...imports].flatMap(([, clause = '', name = '']) => {
    const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? [''];
    const isTypes =
      /^type\s/.test(clause) ||
      names.every((each, i) => /^\s*type\s/.test(each) || (i > 0 && each.trim() === ''));
    return isTypes ? [] : [resolved(path, name)];
  });
}

/**
 * Pairs of folders of one layer that import each other by value. A folder and one inside it are
 * one topic. The console's frame and its views know each other by design.
 */
function twoWayFolders(files: readonly Source[]): readonly string[] {
  const edges = new Set<string>();
  for (const file of files) {
    if (layerOf(file.path) === 'console') continue;
    const from = dirname(file.path);
    for (const to of valueImports(file).map((target) => dirname(target))) {
      const isNested = `${from}/`.startsWith(`${to}/`) || `${to}/`.startsWith(`${from}/`);
      if (layerOf(`${to}/`) === layerOf(`${from}/`) && !isNested) edges.add(`${from} ${to}`);
    }
  }
  return [...edges].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && edges.has(`${to} ${from}`) ? [`${from} and ${to}`] : [];
  });
}

/** Module-level state that is allowed to change, each with its reason. */
const MAY_CHANGE: Readonly<Record<string, string>> = {
  'worker.ts services': 'one service per set of bindings; plain values only, nothing of a request',
  'http/semantics/http-date.ts memoTexts': 'memo of a pure function, keyed by its argument',
  'http/semantics/http-date.ts memoSeconds': 'memo of a pure function, keyed by its argument',
};

/**
 * Files that use what Node does not document, each with what for. docs/internals/fast-path.md says
 * of each when it can go, and what happens where Node takes it away.
 */
const MAY_USE_INTERNALS: Readonly<Record<string, string>> = {
  'adapters/node/blobs/libc.ts': 'node:ffi, experimental: files go from a mapping to a socket',
  'adapters/node/fast-path/behind-node-http.ts': '_header: a response is written past node:http',
  'adapters/node/fast-path/response-writer.ts': '_handle.fd: the socket that a mapping is sent to',
  'adapters/node/fast-path/shared-read-buffer.ts': 'onread: all connections read into one buffer',
  'adapters/node/serve.ts': 'httpAllowHalfOpen, _keepAliveTimeout: half-closed clients, Keep-Alive',
  'adapters/node/server/pipelining.ts': '_httpMessage, _paused: one request at a time',
  'adapters/node/server/sent-response.ts': '_header: bytes of a head, for the access log',
  'adapters/node/server/socket-timeouts.ts': '_handle.writeQueueSize: what a client has not taken',
};

/** Names of Node's own that no page of its documentation has, and what is experimental. */
const INTERNALS =
  /\._[a-z]\w*|'_[a-z]\w*' in\b|[{;] _[a-z]\w*\??:|Symbols\(|[bB]inding\('|node:ffi|httpAllowHalfOpen/;

function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
}

function usesInternals(text: string): boolean {
  return INTERNALS.test(withoutComments(text));
}

const MUTATION =
  '(?:set|add|delete|clear|push|pop|shift|unshift|splice|fill|sort|reverse|copyWithin)';

/** Heuristic: a top-level `let`, or a top-level `const` that its own file changes. */
function changingNames({ code }: Source): string[] {
  const names = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
  for (const [, name] of code.matchAll(/^(?:export )?const (\w+)/gm)) {
    const changes = new RegExp(
      `(?<![\\w.])${name}(?:\\.${MUTATION}\\(|\\[[^\\]]*\\] (?:[-+*/|&^]|\\*\\*)?= |\\.\\w+ = )`,
    );
    const declaration = new RegExp(`^(?:export )?const ${name}\\b[^\\n]*`, 'gm');
    if (changes.test(code.replace(declaration, ''))) names.push(name ?? '');
  }
  return names;
}

/** `any`, an enum, an interface, a non-null assertion. */
const FORBIDDEN_SYNTAX =
  /[:<|&(,]\s*any\b|\bas any\b|^(export )?(const )?enum\b|^(export )?interface\b|\w!(\.|;|\)|\[)/;

/** Longest file, lines; longer ones with a reason. */
const MAX_LINES = 400;
const LONGER: Readonly<Record<string, string>> = {
  'client/api-types.ts': 'generated from the OpenAPI document by scripts/client-types.ts',
  'index/tables/fresh-schema.ts': 'generated from the migrations by scripts/fresh-schema.ts',
};
const ROOT_MAX_LINES: Readonly<Record<string, number>> = {
  'worker.ts': 120,
  'node.ts': 90,
  'serving-thread.ts': 60,
  'serve-app.ts': 40,
  'app.ts': 130,
};

describe('the layer law', () => {
  it('reads the sources it judges', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.find(({ path }) => path === 'app.ts')?.imports).toContain('hono');
  });

  it('holds for every import', () => {
    expect(sources.flatMap(breachesOfLayers)).toEqual([]);
  });

  it('would see a breach', () => {
    const source = (path: string, name: string): Source => ({
      path,
      text: '',
      code: '',
      imports: [name],
    });
    for (const [path, name] of [
      ['core/objects/a.ts', '../../http/s3/xml.ts'],
      ['core/objects/a.ts', 'node:fs'],
      ['http/s3/a.ts', 'hono'],
      ['http/links/page/frame.ts', 'hono/jsx'],
      ['http/links/page/element.ts', 'hono'],
      ['http/s3/a.ts', '../../adapters/node/b.ts'],
      ['index/a.ts', '../core/errors.ts'],
      ['ports/a.ts', '../core/names.ts'],
      ['crypto/a.ts', '../ports/domain.ts'],
      ['adapters/node/a.ts', '../cloudflare/b.ts'],
      ['adapters/node/a.ts', '../../http/s3/routes.ts'],
      ['app.ts', './adapters/node/a.ts'],
      ['adapters/shared/a.ts', 'node:fs'],
      ['client/a.ts', '../ports/errors.ts'],
      ['client/a.ts', 'hono'],
    ] as const) {
      expect(breachesOfLayers(source(path, name)), `${path} -> ${name}`).toHaveLength(1);
    }
  });

  it('lets two folders of a layer import each other one way only', () => {
    expect(twoWayFolders(sources)).toEqual([]);
  });

  it('would see folders that import each other', () => {
    const file = (path: string, text: string): Source => ({ path, text, code: '', imports: [] });
    const back = file('core/b/2.ts', "import { a } from '../a/1.ts';");
    expect(twoWayFolders([file('core/a/1.ts', "import { b } from '../b/2.ts';"), back])).toEqual([
      'core/a and core/b',
    ]);
    const byType = file('core/a/1.ts', "import { type B, type C } from '../b/2.ts';");
    expect(twoWayFolders([byType, back])).toEqual([]);
    const nested = file('core/b/a/1.ts', "import { b } from '../2.ts';");
    const parent = file('core/b/2.ts', "import { a } from './a/1.ts';");
    expect(twoWayFolders([nested, parent])).toEqual([]);
  });

  it('names every import with its extension', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        // Vite makes a file of its own of what a page runs in a worker.
        .filter(
          (name) => name.startsWith('.') && !/\.(?:tsx?|json|css)(?:\?worker&url)?$/.test(name),
        )
        .map((name) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Files that only pass names on. */
const BARRELS: readonly string[] = ['client/index.ts', 'ports/index.ts'];

describe('the house rules', () => {
  it('know no folder for leftovers', () => {
    const folders = new Set(sources.flatMap(({ path }) => path.split('/').slice(0, -1)));
    for (const name of ['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'misc'])
      expect(folders).not.toContain(name);
  });

  it('allow two barrels: the ports, and what users of the client import', () => {
    const barrels = sources.filter(
      ({ path, code }) => path.endsWith('/index.ts') || /^export \* from/m.test(code),
    );
    const passing = sources.filter(({ path, code }) => {
      const statements = code.split(/;\s*\n/).map((statement) => statement.trim());
      return (
        !BARRELS.includes(path) &&
        statements.every((statement) => statement === '' || /^export .* from ''$/s.test(statement))
      );
    });
    expect(barrels.map(({ path }) => path)).toEqual(BARRELS);
    expect(passing.map(({ path }) => path)).toEqual([]);
  });

  it('allow default exports to the Worker and to views, which are loaded by their file', () => {
    expect(
      sources
        .filter(
          ({ path, code }) => /^export default\b/m.test(code) && !/^console\/views\//.test(path),
        )
        .map(({ path }) => path),
    ).toEqual(['worker.ts']);
  });

  it('keep files short', () => {
    const tooLong = sources.flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      const limit = ROOT_MAX_LINES[path] ?? (path in LONGER ? Number.POSITIVE_INFINITY : MAX_LINES);
      return lines > limit ? [`${path} has ${lines} lines, ${limit} are allowed`] : [];
    });
    expect(tooLong).toEqual([]);
  });

  it('name every file that uses internals of Node, and the page that explains it', () => {
    const using = sources.filter(({ text }) => usesInternals(text)).map(({ path }) => path);
    expect(using).toEqual(Object.keys(MAY_USE_INTERNALS));
    const page = readFileSync(join(SRC, '../docs/internals/fast-path.md'), 'utf8');
    expect(using.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);
  });

  it('would see such a use', () => {
    for (const text of [
      'socket._handle.fd',
      "'_header' in outgoing",
      'type Internals = { _paused: boolean };',
      'Object.assign(outgoing, { _keepAliveTimeout: 5 });',
      'Object.getOwnPropertySymbols(socket)',
      "process.binding('tcp_wrap')",
      "process.getBuiltinModule('node:ffi')",
    ])
      expect(usesInternals(text), text).toBe(true);
    expect(usesInternals('// socket._handle is not used\nlisten((_error, count) => count)')).toBe(
      false,
    );
  });

  it('know no any, no enum, no interface and no non-null assertion', () => {
    const wrong = sources.flatMap(({ path, code }) =>
      code
        .split('\n')
        .filter((line) => FORBIDDEN_SYNTAX.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keep module-level state that changes out of everything but adapters and the page', () => {
    // A page of the console or of a link is one person's: its signals are made once.
    const found = sources
      .filter(({ path }) => !/^(?:adapters|console|link-pages)\//.test(path))
      .flatMap((source) => changingNames(source).map((name) => `${source.path} ${name}`));
    expect(found.filter((name) => !(name in MAY_CHANGE))).toEqual([]);
  });

  it('would see such state', () => {
    const changing = (code: string) =>
      changingNames({ path: 'core/a.ts', text: code, code, imports: [] });
    expect(changing('let count = 0;\n')).toEqual(['count']);
    expect(changing('const seen = new Map();\nfunction a() {\n  seen.set(1, 2);\n}\n')).toEqual([
      'seen',
    ]);
    expect(changing('const list = [];\nfunction a() {\n  list[0] = 1;\n}\n')).toEqual(['list']);
    expect(
      changing('const TABLE = new Set([1]);\nfunction a() {\n  return TABLE.has(1);\n}\n'),
    ).toEqual([]);
  });
});
