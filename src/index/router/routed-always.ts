// The calls that name no revision of their bucket, so that they go by the router whether
// it is split or not. The other routes are in call-routes.ts, which is loaded with the
// first bucket that is split. Read by shard-router.ts.
import type { IndexApi } from '../../ports/metadata-index.ts';

/** Routes of calls without a revision; their meaning is that of `Route`. */
export const ROUTED_ALWAYS = {
  resolve: 'readers',
  resolveAll: 'readers',
  findUnknownBlobs: 'sweep',
  listIncarnations: 'sweep',
  forgetIncarnation: 'sweep',
  closeStorageHours: 'sweep',
  forgetStorageHours: 'sweep',
  addRemoteReferences: 'sweep',
  releaseRemoteReferences: 'sweep',
  settleStorageGrant: 'gather',
} as const satisfies { readonly [Name in keyof IndexApi]?: string };
