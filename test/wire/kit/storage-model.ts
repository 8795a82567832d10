// The simplest storage that behaves like S3: a list of versions per key, in memory. The model test
// asks it and the server the same things. It knows nothing of blobs, tiers or SQL.

export type Versioning = 'off' | 'Enabled' | 'Suspended';
export type ModelVersion = {
  /** Counts up with every write of a bucket. */
  readonly number: number;
  readonly isNull: boolean;
  /** Null for a delete marker. */
  readonly body: string | null;
  readonly etag: string;
  readonly metadata: string;
  readonly tags: string;
};

/**
 * What an answer says, as far as the model goes: HTTP status, error code and the text of interest.
 */
export type Outcome = {
  readonly status: number;
  readonly code?: string;
  readonly text?: string;
  readonly number?: number | null;
};

type Conditions = { readonly ifMatch: string | null; readonly ifNoneMatch: string | null };
const NO_CONDITIONS: Conditions = { ifMatch: null, ifNoneMatch: null };

const bytesOf = (text: string) => Buffer.from(text);
const byBytes = (a: string, b: string) => Buffer.compare(bytesOf(a), bytesOf(b));

export function createStorageModel() {
  const keys = new Map<string, ModelVersion[]>();
  let versioning: Versioning = 'off';
  let writes = 0;

  const of = (key: string) => keys.get(key) ?? [];
  const current = (key: string) => {
    const [latest] = of(key);
    return latest === undefined || latest.body === null ? null : latest;
  };
  const named = (key: string, number: number) =>
    of(key).find((version) => version.number === number);

  /** Puts a version in front; without versions, or suspended, the null version goes. */
  function push(
    key: string,
    content: Pick<ModelVersion, 'body' | 'etag' | 'metadata' | 'tags'>,
  ): ModelVersion {
    const isNull = versioning !== 'Enabled';
    const version = { number: ++writes, isNull, ...content };
    const rest = isNull ? of(key).filter((old) => !old.isNull) : of(key);
    keys.set(key, [version, ...rest]);
    return version;
  }

  function refusal(key: string, { ifMatch, ifNoneMatch }: Conditions): Outcome | null {
    const now = current(key);
    const etag = now?.etag ?? null;
    if (ifMatch !== null && now === null) return { status: 404, code: 'NoSuchKey' };
    if (ifMatch !== null && ifMatch !== etag) return { status: 412, code: 'PreconditionFailed' };
    if (ifNoneMatch !== null && now !== null) return { status: 412, code: 'PreconditionFailed' };
    return null;
  }

  const missing = (number: number | null): Outcome => ({
    status: 404,
    code: number === null ? 'NoSuchKey' : 'NoSuchVersion',
  });

  return {
    /** Versions of a key that a test can name, newest first. */
    versionsOf: (key: string) => of(key),
    versioning: () => versioning,

    setVersioning(status: Exclude<Versioning, 'off'>): Outcome {
      versioning = status;
      return { status: 200 };
    },

    put(
      key: string,
      content: { body: string; etag: string; metadata: string; tags: string },
      conditions: Conditions = NO_CONDITIONS,
    ): Outcome {
      const refused = refusal(key, conditions);
      if (refused !== null) return refused;
      return { status: 200, number: push(key, content).number };
    },

    get(key: string, number: number | null): Outcome {
      if (number !== null) {
        const version = named(key, number);
        if (version === undefined) return missing(number);
        if (version.body === null) return { status: 405, code: 'MethodNotAllowed' };
        return { status: 200, text: `${version.metadata}|${version.body}` };
      }
      const now = current(key);
      return now === null ? missing(null) : { status: 200, text: `${now.metadata}|${now.body}` };
    },

    tagsOf(key: string): Outcome {
      const now = current(key);
      return now === null ? missing(null) : { status: 200, text: now.tags };
    },

    setTags(key: string, tags: string): Outcome {
      const now = current(key);
      if (now === null)
        return of(key).length === 0 ? missing(null) : { status: 405, code: 'MethodNotAllowed' };
      keys.set(key, [{ ...now, tags }, ...of(key).slice(1)]);
      return { status: 200 };
    },

    copy(from: string, to: string): Outcome {
      const source = current(from);
      if (source === null) return missing(null);
      if (from === to) return { status: 400, code: 'InvalidRequest' };
      const { body, etag, metadata, tags } = source;
      return { status: 200, number: push(to, { body, etag, metadata, tags }).number };
    },

    remove(key: string, number: number | null): Outcome {
      if (number !== null) {
        keys.set(
          key,
          of(key).filter((version) => version.number !== number),
        );
        return { status: 204 };
      }
      if (versioning === 'off') {
        keys.delete(key);
        return { status: 204 };
      }
      return {
        status: 204,
        number: push(key, { body: null, etag: '', metadata: '', tags: '' }).number,
      };
    },

    /** Names of one page: keys and common prefixes in byte order. */
    list(query: { prefix: string; delimiter: string; after: string; maxKeys: number }): Outcome {
      const names = new Set<string>();
      for (const key of [...keys.keys()].filter((name) => current(name) !== null).sort(byBytes)) {
        if (!key.startsWith(query.prefix)) continue;
        const at = query.delimiter === '' ? -1 : key.indexOf(query.delimiter, query.prefix.length);
        const name = at === -1 ? key : key.slice(0, at + query.delimiter.length);
        // A start inside of a common prefix leaves out all of it, one before it none.
        if (byBytes(name, query.after) > 0 && !(at !== -1 && query.after.startsWith(name)))
          names.add(name);
      }
      const page = [...names].slice(0, query.maxKeys);
      return {
        status: 200,
        text: `${page.join('\n')}|${query.maxKeys > 0 && names.size > page.length}`,
      };
    },

    /** `key#number`, markers with a minus, in the order of the listing. */
    listVersions(): Outcome {
      const lines = [...keys.keys()]
        .sort(byBytes)
        .flatMap((key) =>
          of(key).map(
            (version, at) =>
              `${key}#${version.number}${version.body === null ? '-' : ''}${at === 0 ? '*' : ''}`,
          ),
        );
      return { status: 200, text: lines.sort(byBytes).join('\n') };
    },
  };
}
