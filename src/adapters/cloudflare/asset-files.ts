// The files of the service's own pages as Workers Assets: they are no part of the script, whose size is limited
// (https://developers.cloudflare.com/workers/platform/limits/#worker-size). scripts/wrangler.ts puts them there.
import type { OwnFiles } from '../../ports/own-files.ts';

/** Null: a deployment without assets. */
export function createAssetFiles(assets: Pick<Fetcher, 'fetch'> | null): OwnFiles {
  return {
    async read(name) {
      const response = await assets?.fetch(`https://assets.invalid/${name}`);
      if (response === undefined || response.status !== 200) {
        await response?.body?.cancel();
        return null;
      }
      return { bytes: new Uint8Array(await response.arrayBuffer()), isGzipped: false };
    },
  };
}
