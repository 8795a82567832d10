// Workers Cache as its documentation describes it, for the local runtime has none: it stands before
// an entrypoint, keys by path, stores what says that it may be, cuts ranges out of it, runs
// concurrent misses once, and tells in Cf-Cache-Status what happened. Source:
// https://developers.cloudflare.com/workers/cache/

export type SimulatedWorkersCache = {
  readonly entrypoint: Pick<Fetcher, 'fetch'>;
  /** Calls of the caller, and of the entrypoint behind the cache. */
  readonly calls: { asked: number; run: number };
};

type Stored = { readonly status: number; readonly headers: Headers; readonly bytes: ArrayBuffer };

export function createWorkersCache(behind: Pick<Fetcher, 'fetch'>): SimulatedWorkersCache {
  const entries = new Map<string, Stored>();
  const running = new Map<string, Promise<Stored>>();
  const calls = { asked: 0, run: 0 };

  async function run(url: string): Promise<Stored> {
    calls.run += 1;
    const answer = await behind.fetch(url);
    return { status: answer.status, headers: answer.headers, bytes: await answer.arrayBuffer() };
  }

  function render(
    { status, headers, bytes }: Stored,
    cacheStatus: string,
    range: string | null,
  ): Response {
    const reported = new Headers(headers);
    reported.set('cf-cache-status', cacheStatus);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (status !== 200 || from === undefined || to === undefined)
      return new Response(bytes, { status, headers: reported });
    reported.delete('content-length');
    return new Response(bytes.slice(Number(from), Number(to) + 1), {
      status: 206,
      headers: reported,
    });
  }

  const isKept = ({ status, headers }: Stored) =>
    status === 200 && /max-age=\d+/.test(headers.get('cache-control') ?? '');

  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    calls.asked += 1;
    const range = new Headers(init.headers).get('range');
    const { pathname } = new URL(url);
    const known = entries.get(pathname);
    if (known !== undefined) return render(known, 'HIT', range);
    const isFirst = !running.has(pathname);
    const run_ = running.get(pathname) ?? run(url);
    running.set(pathname, run_);
    const stored = await run_.finally(() => running.delete(pathname));
    if (!isKept(stored)) return render(stored, 'BYPASS', null);
    entries.set(pathname, stored);
    return render(stored, isFirst ? 'MISS' : 'HIT', range);
  };
  return { entrypoint: { fetch: fetch as unknown as Fetcher['fetch'] }, calls };
}
