// What stands in the place of what is still being read: what failed, else a line.
import type { Query } from '../api/query.ts';
import { Failure } from './failure.tsx';
import { Skeleton } from './small.tsx';

type WaitingProps = { readonly of: Query<unknown>; readonly width?: number };

/** What stands for a read that has not come: what failed, else a line of that width. */
export function Waiting({ of: query, width }: WaitingProps) {
  if (query.data.value !== null) return null;
  const error = query.error.value;
  if (error !== null) return <Failure error={error} onRetry={query.reload} />;
  return width === undefined ? null : <Skeleton width={width} />;
}
