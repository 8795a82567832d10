// The index, the directory and the ledger in the calling process, without a thread
// or a Durable Object between: for tests and examples.
import type { Directory, DirectoryApi } from '../../ports/directory.ts';
import type { Ledger, LedgerApi } from '../../ports/ledger.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';

type Call = (input: unknown) => unknown;

/**
 * `api` runs each call as one unit (index/call-outcome.ts); data is cloned as a
 * message would.
 */
export function createDirectMetadataIndex(api: IndexApi): MetadataIndex {
  return {
    call: async (_bucket, name, input) =>
      structuredClone((api[name] as Call)(structuredClone(input))) as never,
    peekCurrent(name, key) {
      const { bucket, object } = api.resolve({ name, key });
      return bucket === null || object === null ? null : { bucket, object };
    },
  };
}

export function createDirectDirectory(api: DirectoryApi): Directory {
  return {
    call: async (name, input) =>
      structuredClone((api[name] as Call)(structuredClone(input))) as never,
    findHost: (host) => api.getHost({ host }),
    peekHost: (host) => api.getHost({ host }),
    findLink: (id) => api.getLinkId({ id }),
    peekLink: (id) => api.getLinkId({ id }),
    peekAccessKey: (id) => api.getAccessKey({ id }),
  };
}

export function createDirectLedger(api: LedgerApi): Ledger {
  return {
    call: async (name, input) =>
      structuredClone((api[name] as Call)(structuredClone(input))) as never,
  };
}
