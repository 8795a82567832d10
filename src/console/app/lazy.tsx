// Components that are loaded when they are first shown. A piece that can't be
// loaded (the server was updated, the line is gone) says so and offers to try
// again; it comes by itself when a lost line is back.
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { client, isReachable, QuaysideError } from '../api/client.ts';
import { errorLine } from '../api/describe-error.ts';
import { Failure } from '../ui/failure.tsx';
import { showToast } from '../ui/toast.tsx';
import { keepKeys } from './late-keys.ts';
import { loadRest } from './load-rest.ts';
import { mayLeave } from './router.ts';

type Loaded<Props> = { default: ComponentType<Props> };

const notLoaded = (cause: unknown) =>
  new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause });

/** Asks the server for something small; whether it answers is noted by the client. */
const askServer = () => client.request('GET /server');

/** Parts that are there, by what loads them. */
const parts = new Map<() => Promise<unknown>, unknown>();

/** Loads a part; rejects with an error that says so in the reader's words. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  const part = await load().catch((cause) => Promise.reject(notLoaded(cause)));
  parts.set(load, part);
  return part;
}

/** Runs what a part has, at once where it is loaded, else when it is; says what failed. */
export function withPart<Part>(load: () => Promise<Part>, run: (part: Part) => unknown): void {
  const runLoaded = async () => run(parts.get(load) as Part);
  (parts.has(load) ? runLoaded() : loadPart(load).then(run)).catch((error: unknown) =>
    showToast({ text: errorLine(error) }),
  );
}

type LazyOptions = {
  /** Needs no text or style but those of a folder: it waits for no others. */
  readonly isOfFolder?: boolean | undefined;
  /** Has keys: those that are pressed while it is shown and not there yet wait for it. */
  readonly takesKeys?: boolean;
};

type Lazy<Props> = ComponentType<Props> & {
  /** Loads it beside what is shown, so that it is there at once; what fails is said later. */
  readonly preload: () => void;
};

/** Makes a component of one that is loaded by its first showing. */
export function lazy<Props extends object>(
  load: () => Promise<Loaded<Props>>,
  { isOfFolder = false, takesKeys = false }: LazyOptions = {},
): Lazy<Props> {
  let Component: ComponentType<Props> | null = null;
  async function loadAll(): Promise<void> {
    const [module] = await Promise.all([load(), isOfFolder ? null : loadRest()]);
    Component = module.default;
  }

  function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<unknown>(null);

    function begin(onFailure: (cause: unknown) => void): void {
      setError(null);
      loadAll().then(() => redraw((count) => count + 1), onFailure);
    }
    function fail(cause: unknown): void {
      setError(notLoaded(cause));
      askServer().catch(() => {});
    }
    // Browsers remember that a file failed: where the server answers, the page is
    // loaded anew, with the names that its files have now.
    function retry(): void {
      begin((cause) => {
        askServer().then(
          () => location.reload(),
          () => fail(cause),
        );
      });
    }

    // What is here already is shown before the next key: a dialog takes what is typed ahead.
    useLayoutEffect(() => {
      if (Component === null) begin(fail);
    }, []);
    const isComing = Component === null && error === null;
    useLayoutEffect(() => (takesKeys && isComing ? keepKeys() : undefined), [isComing]);
    const isLost = isReachable.value === false;
    useEffect(() => {
      if (error !== null && !isLost && mayLeave(null)) retry();
    }, [isLost]);
    if (error !== null) return <Failure error={error} onRetry={retry} />;
    return Component === null ? null : <Component {...props} />;
  }
  return Object.assign(Lazy, { preload: () => void loadAll().catch(() => {}) });
}
