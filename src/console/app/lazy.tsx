// Components that are loaded when they are first shown. A piece that can't be loaded
// (the server was updated, the line is gone) says so and offers to try again.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { QuaysideError } from '../api/client.ts';
import { Failure } from '../ui/failure.tsx';

type Loaded<Props> = { default: ComponentType<Props> };

/** Makes a component of one that is loaded by its first showing. */
export function lazy<Props extends object>(
  load: () => Promise<Loaded<Props>>,
): ComponentType<Props> {
  let Component: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [error, setError] = useState<unknown>(null);
    const begin = () => {
      setError(null);
      load().then(
        (module) => {
          Component = module.default;
          redraw((count) => count + 1);
        },
        (cause) => {
          setError(new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause }));
        },
      );
    };
    useEffect(() => {
      if (Component === null) begin();
    }, []);
    if (error !== null) return <Failure error={error} onRetry={begin} />;
    return Component === null ? null : <Component {...props} />;
  };
}
