// Files of drop links and the objects that they became: a file goes along when its object gets
// another key, and is known to be gone when another object has its key.
import { describe, expect, it } from 'vitest';
import type { KeyAction } from '../../../src/domain/keys/key-jobs.ts';
import type { VersionId } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { DROP_ENTRY, DROP_LINK, deliveryOf, dropFileOf } from '../../index/kit/use-drop-links.ts';
import type { Subject } from '../subject.ts';
import {
  asKey,
  blobIn,
  completionOf,
  deletionOf,
  fresh,
  keyJobOf,
  makeBucket,
  newReferenceOf,
  partOf,
  refOf,
  START_MS,
  wholeOf,
} from './samples.ts';

/** Runs the family. */
export function dropFilesContract({ name, make }: Subject<MetadataIndex>): void {
  async function withLink(versioning: 'off' | 'enabled') {
    const index = await make();
    const bucket = { ...refOf(await makeBucket(index)), versioning };
    const linkId = DROP_LINK.id;
    const nowMs = START_MS;
    const added = { bucket, link: DROP_LINK, max: 10, entry: DROP_ENTRY };
    for (const _ of [1, 2]) await index.call(bucket.name, 'addDropLink', added);
    const fields = { name: '', mail: '', note: '' };
    await index.call(bucket.name, 'addDropSender', {
      ...{ bucket, linkId, id: 'sender', fields, source: 'x', nowMs },
    });
    const jobId = fresh('job');
    await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(jobId) });
    let revision = 0;
    return {
      index,
      bucket,
      /** A file of 100 bytes that came to a key. */
      async receive(fileId: string, key: string): Promise<void> {
        const { file, upload } = dropFileOf(fileId);
        await index.call(bucket.name, 'addDropFile', { bucket, file, upload, nowMs });
        const blobId = blobIn(bucket);
        const part = partOf(1, [wholeOf(blobId)]);
        const of = { bucket, linkId, fileId, nowMs };
        await index.call(bucket.name, 'commitDropPiece', {
          ...of,
          part,
          newReferences: [newReferenceOf(blobId)],
          offsetBytes: 0,
          progress: { sha256State: 'state', head: 'head' },
        });
        const end = () =>
          index.call(bucket.name, 'finishDropFile', {
            ...of,
            ...completionOf(upload, [part]),
            toKey: asKey(key),
            sha256: 'x',
            deliveries: [deliveryOf(bucket)],
          });
        await end();
        await end();
      },
      act: (action: KeyAction) =>
        index.call(bucket.name, 'stepKeyJob', {
          ...{ bucket, id: jobId, actions: [action], isLast: false, elsewhere: {}, nowMs },
          revision: ++revision,
          next: { after: '', at: revision },
        }),
      /** The newest thing that the job did, for its undoing. */
      async lastItem() {
        const page = { bucket, id: jobId, before: 1000, limit: 1 };
        const [item] = await index.call(bucket.name, 'listKeyJobItems', page);
        if (item === undefined) throw new Error('The job did nothing.');
        return item;
      },
      waiting: async () =>
        (await index.call(bucket.name, 'countDeliveries', { queueId: bucket.id })).waiting,
      find: (fileId: string) => index.call(bucket.name, 'getDropFile', { bucket, linkId, fileId }),
      async files() {
        const page = { bucket, linkId, senderId: null, after: '', limit: 10 };
        const files = await index.call(bucket.name, 'listDropFiles', page);
        return files.map(({ id, key, isStored }) => [id, key, isStored]);
      },
    };
  }
  const ids = () => ({
    versionId: fresh('version') as VersionId,
    markerId: fresh('version') as VersionId,
  });
  const moveOf = (key: string, toKey: string): KeyAction => ({
    ...{ kind: 'move', key: asKey(key), toKeys: [asKey(toKey)], ...ids() },
    mayReplace: false,
  });

  describe(`metadata index, files of drop links: ${name}`, () => {
    it('report their end once, in its commit, and keep no progress', async () => {
      const { receive, waiting, find } = await withLink('off');
      await receive('a', 'in/a');
      expect(await waiting()).toBe(1);
      await expect(receive('b', 'in/a')).rejects.toMatchObject({ code: 'PreconditionFailed' });
      expect(await waiting()).toBe(1);
      const progressOf = async (id: string) => (await find(id))?.progress;
      expect(await progressOf('a')).toEqual({ sha256State: null, head: '' });
      expect(await progressOf('b')).toEqual({ sha256State: 'state', head: 'head' });
    });

    it.each(['off', 'enabled'] as const)(
      'have the key that a move gave their object, and the old one when it is undone (versions %s)',
      async (versioning) => {
        const { receive, act, lastItem, files } = await withLink(versioning);
        await receive('a', 'wait/a');
        await receive('b', 'wait/b');
        await act(moveOf('wait/a', 'in/a (2)'));
        expect(await files()).toEqual([
          ['a', 'in/a (2)', true],
          ['b', 'wait/b', true],
        ]);
        const item = await lastItem();
        await act({
          ...{ kind: 'unmove', key: asKey('wait/a'), toKey: asKey('in/a (2)'), ...ids() },
          movedId: item.versionId ?? ('' as VersionId),
          leftMarkerId: item.markerId,
        });
        expect(await files()).toEqual([
          ['a', 'wait/a', true],
          ['b', 'wait/b', true],
        ]);
      },
    );

    it.each(['off', 'enabled'] as const)(
      'are gone with their object, though another has its key and is moved (versions %s)',
      async (versioning) => {
        const { index, bucket, receive, act, files } = await withLink(versioning);
        await receive('a', 'wait/a');
        await index.call(bucket.name, 'deleteObjects', { bucket, ...deletionOf(['wait/a']) });
        expect(await files()).toEqual([['a', 'wait/a', false]]);
        await receive('b', 'wait/a');
        await act(moveOf('wait/a', 'in/a'));
        expect(await files()).toEqual([
          ['a', 'wait/a', false],
          ['b', 'in/a', true],
        ]);
      },
    );

    it('leave the history of their link until that goes', async () => {
      const { index, bucket } = await withLink('off');
      const { id } = DROP_LINK;
      const history = () => index.call(bucket.name, 'listShareHistory', { bucket, id });
      const entry = { ...DROP_ENTRY, action: 'revoked' } as const;
      const settings = { ...DROP_LINK, revokedAtMs: START_MS };
      const change = { bucket, id, revision: 1, settings, entry };
      await index.call(bucket.name, 'changeDropLink', change);
      expect(await history()).toEqual([entry, DROP_ENTRY]);
      await index.call(bucket.name, 'removeDropLink', { bucket, id, nowMs: START_MS });
      expect(await history()).toEqual([]);
    });
  });
}
