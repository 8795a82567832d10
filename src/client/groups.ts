// Routes under names of their own: `client.buckets.create({ body: { name } })`. One
// table, no code for each. A star marks a list, which is iterated over all its
// pages.
import type { Each } from './pages.ts';
import type {
  Answer,
  Item,
  ListRoute,
  OptionsOf,
  Request,
  RequestOptions,
  Route,
} from './routes.ts';

const GROUPS = {
  buckets: {
    list: '*GET /buckets',
    create: 'POST /buckets',
    get: 'GET /buckets/{bucket}',
    update: 'PATCH /buckets/{bucket}',
    delete: 'DELETE /buckets/{bucket}',
    totals: 'GET /buckets/{bucket}/totals',
    purge: 'POST /buckets/{bucket}/cache-purges',
  },
  objects: {
    list: '*GET /buckets/{bucket}/objects',
    search: '*GET /buckets/{bucket}/search',
    versions: '*GET /buckets/{bucket}/versions',
    sizes: 'GET /buckets/{bucket}/sizes',
    get: 'GET /buckets/{bucket}/object',
    update: 'PATCH /buckets/{bucket}/object',
    delete: 'DELETE /buckets/{bucket}/object',
    restore: 'POST /buckets/{bucket}/object/restore',
    presign: 'POST /buckets/{bucket}/presigned-urls',
  },
  uploads: {
    list: '*GET /buckets/{bucket}/uploads',
    parts: '*GET /buckets/{bucket}/uploads/{uploadId}/parts',
    abort: 'DELETE /buckets/{bucket}/uploads/{uploadId}',
  },
  jobs: {
    all: '*GET /jobs',
    list: 'GET /buckets/{bucket}/jobs',
    start: 'POST /buckets/{bucket}/jobs',
    get: 'GET /buckets/{bucket}/jobs/{jobId}',
    cancel: 'POST /buckets/{bucket}/jobs/{jobId}/cancel',
    undo: 'POST /buckets/{bucket}/jobs/{jobId}/undo',
    previewDeletion: 'GET /buckets/{bucket}/deletion-preview',
  },
  trash: {
    list: '*GET /buckets/{bucket}/trash',
    settings: 'GET /buckets/{bucket}/trash/settings',
    setSettings: 'PUT /buckets/{bucket}/trash/settings',
  },
  keys: {
    list: '*GET /access-keys',
    create: 'POST /access-keys',
    get: 'GET /access-keys/{accessKeyId}',
    update: 'PATCH /access-keys/{accessKeyId}',
    rotate: 'POST /access-keys/{accessKeyId}/rotate',
    delete: 'DELETE /access-keys/{accessKeyId}',
  },
  tokens: {
    list: '*GET /tokens',
    create: 'POST /tokens',
    delete: 'DELETE /tokens/{tokenId}',
  },
  members: {
    list: '*GET /members',
    create: 'POST /members',
    get: 'GET /members/{memberId}',
    update: 'PATCH /members/{memberId}',
    delete: 'DELETE /members/{memberId}',
  },
  caps: {
    list: 'GET /caps',
    get: 'GET /caps/{capId}',
    put: 'PUT /caps/{capId}',
    delete: 'DELETE /caps/{capId}',
  },
  billing: {
    get: 'GET /billing',
    usage: 'GET /usage',
    forecast: 'GET /forecast',
    simulate: 'POST /simulations',
    invoices: '*GET /invoices',
    invoice: 'GET /invoices/{period}',
    file: 'GET /invoices/{period}/{file}',
  },
  webhooks: {
    list: '*GET /webhooks',
    create: 'POST /webhooks',
    get: 'GET /webhooks/{webhookId}',
    update: 'PATCH /webhooks/{webhookId}',
    delete: 'DELETE /webhooks/{webhookId}',
  },
} as const satisfies Record<string, Record<string, Route | `*${ListRoute}`>>;

/** One text for each parameter of the path. */
type PathTexts<R extends string> = R extends `${string}{${string}}${infer Tail}`
  ? [string, ...PathTexts<Tail>]
  : [];
type Rest<R extends Route> = OptionsOf<Omit<RequestOptions<R>, 'path'>>;

type Bound<Entry> = Entry extends `*${infer R extends ListRoute}`
  ? (...input: [...PathTexts<R>, ...Rest<R>]) => AsyncGenerator<Item<R>, void, undefined>
  : Entry extends Route
    ? (...input: [...PathTexts<Entry>, ...Rest<Entry>]) => Promise<Answer<Entry>>
    : never;

/**
 * Named calls, by what they are about: the path's texts first, then one object with
 * the rest.
 */
export type Groups = {
  readonly [G in keyof typeof GROUPS]: {
    readonly [N in keyof (typeof GROUPS)[G]]: Bound<(typeof GROUPS)[G][N]>;
  };
};

/** Binds the table to a client's request. */
export function createGroups(request: Request, each: Each): Groups {
  const bind = (entry: string) => {
    const isList = entry.startsWith('*');
    const route = isList ? entry.slice(1) : entry;
    const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return (...input: unknown[]) => {
      const path = Object.fromEntries(names.map((name, at) => [name, input[at]]));
      const options = { ...(input[names.length] as object | undefined), path };
      const call: (route: never, options: never) => unknown = isList ? each : request;
      return call(route as never, options as never);
    };
  };
  return mapValues(GROUPS, (group) => mapValues(group, bind)) as unknown as Groups;
}

function mapValues<Value, Made>(
  record: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
