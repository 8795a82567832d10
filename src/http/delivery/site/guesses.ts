// Which object a path most likely means, before the settings of the bucket are
// known: read policy and page then come in one look. A wrong guess costs one
// look-up more, nothing else. Called by deliver-site.ts.
import type { BucketName, BucketReadPolicy } from '../../../domain/nouns.ts';
import { hasExtension, isFolder, USUAL_INDEX } from './page.ts';

export type Guesses = {
  /** `isBound`: the host is an owner's own, so the bucket has hosting settings. */
  of(bucket: BucketName, path: string, isBound: boolean): string;
  /** Remembers how the site has its pages. */
  learn(bucket: BucketName, readPolicy: BucketReadPolicy): void;
};

/** Sites remembered. */
const SITES_MAX = 1000;

export function createGuesses(): Guesses {
  const clean = new Map<BucketName, boolean>();
  return {
    of(bucket, path, isBound) {
      if (isFolder(path)) return path + USUAL_INDEX;
      return (clean.get(bucket) ?? isBound) && !hasExtension(path) ? `${path}.html` : path;
    },
    learn(bucket, { settings }) {
      if (clean.size === SITES_MAX) clean.clear();
      clean.set(bucket, settings.hosting?.cleanUrls ?? false);
    },
  };
}
