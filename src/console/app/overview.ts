// The account at a glance, shared by all who show it.
import type { Answer } from 'quayside/client';
import { client } from '../api/client.ts';
import { useQuery } from '../api/query.ts';
import { sessionState } from './session.ts';

export type Overview = Answer<'GET /overview'>;

export const useOverview = () =>
  useQuery(sessionState.value === 'signed-in' ? 'overview' : null, (signal) =>
    client.request('GET /overview', { signal }),
  );

/** The cap in money of the whole account; null: there is none, or it is not seen. */
export const moneyCapOf = (overview: Overview | null) =>
  overview?.caps?.find(({ unit, bucket, accessKeyId }) => {
    return unit === 'money' && (bucket ?? null) === null && (accessKeyId ?? null) === null;
  }) ?? null;
