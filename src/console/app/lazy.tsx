// Components that are loaded when they are first shown. A piece that can't be
// loaded (the server was updated, the line is gone) says so and offers to try
// again; it comes by itself when a lost line is back.
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { client, isReachable, QuaysideError } from '../api/client.ts';
import { errorLine } from '../api/describe-error.ts';
import { Failure } from '../ui/failure.tsx';
import { showToast } from '../ui/toast.tsx';
import { loadRest } from './load-rest.ts';
import { mayLeave } from './router.ts';

type Loaded<Props> = { default: ComponentType<Props> };

const notLoaded = (cause: unknown) =>
  new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause });

/** Asks the server for something small; whether it answers is noted by the client. */
const askServer = () => client.request('GET /server');

/** Runs what a part has, which is loaded when it is first wanted; says what failed. */
export function withPart<Part>(load: () => Promise<Part>, run: (part: Part) => unknown): void {
  load()
    .catch((cause) => Promise.reject(notLoaded(cause)))
    .then(run)
    .catch((error: unknown) => showToast({ text: errorLine(error) }));
}

type LazyOptions = {
  /** Needs no text or style but those of a folder: it waits for no others. */
  readonly isOfFolder?: boolean | undefined;
};

/** Makes a component of one that is loaded by its first showing. */
export function lazy<Props extends object>(
  load: () => Promise<Loaded<Props>>,
  { isOfFolder = false }: LazyOptions = {},
): ComponentType<Props> {
  let Component: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<unknown>(null);

    function begin(onFailure: (cause: unknown) => void): void {
      setError(null);
      Promise.all([load(), isOfFolder ? null : loadRest()]).then(([module]) => {
        Component = module.default;
        redraw((count) => count + 1);
      }, onFailure);
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
    const isLost = isReachable.value === false;
    useEffect(() => {
      if (error !== null && !isLost && mayLeave(null)) retry();
    }, [isLost]);
    if (error !== null) return <Failure error={error} onRetry={retry} />;
    return Component === null ? null : <Component {...props} />;
  };
}
