// What the official SDK's model says of S3: each operation with its request line and the headers it
// may send. The tests compare our tables with it, so that a sub-resource or header that we forgot
// shows up.
import * as sdk from '@aws-sdk/client-s3';

export type ModelOperation = {
  readonly name: string;
  readonly method: string;
  readonly level: 'service' | 'bucket' | 'object';
  /** Parameters that are always there, like `acl`, without the SDK's own `x-id`. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower case; a prefix of headers ends in `*`. */
  readonly headers: readonly string[];
};

type Traits = {
  readonly http?: readonly [method: string, uri: string, status: number];
  readonly httpHeader?: string;
  readonly httpPrefixHeaders?: string;
  readonly httpQuery?: string;
};
type Shape = readonly [
  kind: number,
  namespace: string,
  name: string,
  traits: Traits,
  ...rest: unknown[],
];

const OPERATION = 9;

/**
 * Operations of other endpoints (Object Lambda, directory buckets) and the one that shares
 * ListBuckets' line.
 */
const ELSEWHERE = new Set(['WriteGetObjectResponse']);

export function modelOperations(): ModelOperation[] {
  const shapes = Object.values(sdk).filter(
    (value): value is never => Array.isArray(value) && value[0] === OPERATION,
  );
  return (shapes as unknown as Shape[])
    .filter((shape) => !ELSEWHERE.has(shape[2]))
    .map(readOperation);
}

function readOperation(shape: Shape): ModelOperation {
  const [method, uri] = shape[3].http ?? ['', '/'];
  const url = new URL(uri.replace('{Key+}', 'key'), 'http://model');
  const members = readMembers(shape[4]);
  const takesBucket = members.some((member) => member.name === 'Bucket');
  const query = Object.fromEntries([...url.searchParams].filter(([name]) => name !== 'x-id'));
  return {
    name: shape[2],
    method,
    level: uri.includes('{Key+}') ? 'object' : takesBucket ? 'bucket' : 'service',
    query,
    headers: members.flatMap(({ traits }) => {
      if (traits.httpHeader !== undefined) return [traits.httpHeader.toLowerCase()];
      return traits.httpPrefixHeaders === undefined ? [] : [`${traits.httpPrefixHeaders}*`];
    }),
  };
}

function readMembers(input: unknown): { name: string; traits: Traits }[] {
  const shape = (typeof input === 'function' ? input() : input) as readonly unknown[];
  if (!Array.isArray(shape)) return [];
  const names = shape[4] as readonly string[];
  const types = shape[5] as readonly unknown[];
  return names.map((name, index) => {
    const type = types[index];
    const traits = Array.isArray(type) && typeof type[1] === 'object' ? (type[1] as Traits) : {};
    return { name, traits };
  });
}
