// The commit of a version, for use cases that may bring a body inline: it gets a
// place in a pack to come, and whoever fills the pack writes it behind the response.
import type { CommitObjectInput, IndexApi } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { writePack } from './write-pack.ts';

/**
 * Commits a version. Errors and cost as of `IndexCommands.commitObject`; behind one
 * of some hundred inline bodies also as of `writePack`.
 */
export async function commitVersion(
  core: Core,
  bucket: BucketHandle,
  input: Omit<CommitObjectInput, 'bucket' | 'packId'>,
): Promise<Omit<ReturnType<IndexApi['commitObject']>, 'fullPack'>> {
  const { background, ids } = core.ports;
  const isInline = input.object.inlineBytes !== null;
  const { fullPack, ...committed } = await bucket.call('commitObject', ({ id }) =>
    isInline ? { ...input, packId: ids.blobId(id) } : input,
  );
  if (fullPack !== undefined) {
    const { id, name } = bucket.record();
    const pack = { bucket: { id, name }, blobId: fullPack };
    background.run('write-pack', () => writePack(core, pack));
  }
  return committed;
}
