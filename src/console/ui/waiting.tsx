// What a view shows instead of data that is still being read: the failure, else a line.
import type { Query } from '../api/query.ts';
import { Failure } from './failure.tsx';
import { Skeleton } from './small.tsx';

type WaitingProps = { readonly of: Query<unknown>; readonly width?: number };

/** Shows the failure of a read; before its data, a line of that width; then nothing. */
export function Waiting({ of: query, width }: WaitingProps) {
  if (query.data.value !== null) return null;
  const error = query.error.value;
  if (error !== null) return <Failure error={error} onRetry={query.reload} />;
  return width === undefined ? null : <Skeleton width={width} />;
}
