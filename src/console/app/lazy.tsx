// Components that are loaded when they are first shown. A piece that can't be
// loaded (the server was updated, the line is gone) says so and offers to try
// again; it comes by itself when a lost line is back.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { client, isReachable, QuaysideError } from '../api/client.ts';
import { loadAllTexts } from '../i18n/i18n.ts';
import { Failure } from '../ui/failure.tsx';
import { mayLeave } from './router.ts';

type Loaded<Props> = { default: ComponentType<Props> };

/** Asks the server for something small; whether it answers is noted by the client. */
const askServer = () => client.request('GET /server');

/** Which texts a piece needs: those of the first load, or all. */
export type NeededTexts = 'first' | 'all';

/** Makes a component of one that is loaded by its first showing, with its texts. */
export function lazy<Props extends object>(
  load: () => Promise<Loaded<Props>>,
  texts: NeededTexts = 'all',
): ComponentType<Props> {
  let Component: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<unknown>(null);

    function begin(onFailure: (cause: unknown) => void): void {
      setError(null);
      const words = texts === 'all' ? loadAllTexts() : null;
      Promise.all([load(), words]).then(([module]) => {
        Component = module.default;
        redraw((count) => count + 1);
      }, onFailure);
    }
    function fail(cause: unknown): void {
      setError(new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause }));
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

    useEffect(() => {
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
