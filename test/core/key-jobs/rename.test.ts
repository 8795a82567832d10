// Renames of many objects by a pattern: what the preview says, the job does.
import { describe, expect, it } from 'vitest';
import { previewRename } from '../../../src/core/key-jobs/preview-rename.ts';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { KEY_STEP_MAX, type KeyJobTask } from '../../../src/domain/keys/key-jobs.ts';
import type { NamePattern } from '../../../src/domain/keys/name-pattern.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { createMemoryCore, key, openTestBucket, sampleBytes } from '../memory-core.ts';
import { bytesAt, names, put, run, undo } from './key-jobs-kit.ts';

const renameOf = (
  pattern: Partial<NamePattern>,
  changes: Partial<Extract<KeyJobTask, { kind: 'rename' }>> = {},
) =>
  ({
    kind: 'rename',
    selection: { prefix: '', keys: null },
    pattern: {
      find: null,
      replace: '',
      case: null,
      prefix: '',
      suffix: '',
      counter: null,
      ...pattern,
    },
    conflict: 'refuse',
    ...changes,
  }) as const;
const COUNTER = { start: 1, step: 1, width: 1, at: 'end', separator: '' } as const;

async function bucketOf(keys: readonly string[]) {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  for (const [seed, name] of keys.entries()) await put(core, bucket, name, seed);
  return { core, bucket };
}

describe('a rename by pattern', () => {
  it('renames a folder in several steps, each object once, and is undone', async () => {
    const keys = Array.from({ length: KEY_STEP_MAX + 20 }, (_, at) => `a/${at + 1000}.txt`);
    const { core, bucket } = await bucketOf([...keys, 'a/', 'b']);
    // The new names come behind the old ones, where a walk would meet them again.
    const task = renameOf({ prefix: '9' }, { selection: { prefix: 'a/', keys: null } });
    const job = await run(core, bucket, task);
    expect(job).toMatchObject({ state: 'done', total: keys.length, canUndo: true });
    expect(job.counts).toMatchObject({ done: keys.length, conflicts: 0, missing: 0 });
    expect(await names(bucket, 'a/9')).toEqual(keys.map((name) => name.replace('a/', 'a/9')));
    await undo(core, bucket, job);
    expect(await names(bucket)).toEqual(['a/', ...keys, 'b']);
  });

  it('numbers listed keys in their order, and gives names that others leave', async () => {
    const { core, bucket } = await bucketOf(['p1', 'p2', 'p3', 'q']);
    const selection = { prefix: '', keys: ['q', 'p1', 'p2', 'p3'].map(key) };
    const task = renameOf({ find: '*', replace: 'p', counter: COUNTER }, { selection });
    const preview = await previewRename(bucket, task);
    expect(preview.names.map(({ key, toKey, clash }) => [key, toKey, clash])).toEqual([
      ['q', 'p1', null],
      ['p1', 'p2', null],
      ['p2', 'p3', null],
      ['p3', 'p4', null],
    ]);
    const job = await run(core, bucket, task);
    expect(job.counts).toMatchObject({ done: 4, conflicts: 0 });
    expect(await names(bucket)).toEqual(['p1', 'p2', 'p3', 'p4']);
    expect(await bytesAt(core, bucket, 'p1')).toEqual(sampleBytes(40, 3));
    await undo(core, bucket, job);
    expect(await names(bucket)).toEqual(['p1', 'p2', 'p3', 'q']);
    expect(await bytesAt(core, bucket, 'p1')).toEqual(sampleBytes(40, 0));
  });

  it('marks clashes in the preview, and leaves or numbers them', async () => {
    const long = `x${'n'.repeat(1000)}`;
    const { core, bucket } = await bucketOf(['A.txt', 'a.txt', 'B.txt', 'b', 'C', long, 'c.txt']);
    const selection = { prefix: '', keys: ['A.txt', 'a.txt', 'B.txt', 'C', long].map(key) };
    const pattern = { case: 'lower', prefix: 'x'.repeat(30) } as const;
    await put(core, bucket, `${'x'.repeat(30)}c`);
    const { total, names: shown } = await previewRename(bucket, renameOf(pattern, { selection }));
    expect(total).toBe(5);
    expect(shown.map(({ clash }) => clash)).toEqual([
      'duplicate',
      'duplicate',
      null,
      'taken',
      'invalid',
    ]);
    const left = await run(core, bucket, renameOf(pattern, { selection }));
    expect(left.counts).toMatchObject({ done: 2, conflicts: 3 });
    const both = renameOf(pattern, { selection, conflict: 'keep-both' });
    const numbered = await run(core, bucket, both);
    expect(numbered.counts).toMatchObject({ done: 2, conflicts: 1, missing: 2 });
    expect(await names(bucket, 'x'.repeat(30))).toHaveLength(5);
  });

  it('of names in a ring leaves one, and loses nothing', async () => {
    const { core, bucket } = await bucketOf(['ab', 'ba']);
    const task = renameOf({ find: '*b*', replace: '$2b$1' });
    expect((await previewRename(bucket, task)).names).toHaveLength(2);
    const job = await run(core, bucket, task);
    expect(job.counts).toMatchObject({ done: 0, conflicts: 2 });
    expect(await names(bucket)).toEqual(['ab', 'ba']);
  });

  it('that would change nothing, or has too many wildcards, is refused', async () => {
    const { core, bucket } = await bucketOf(['a']);
    for (const pattern of [{}, { find: 'x' }, { find: '*'.repeat(10), replace: 'b' }]) {
      const started = startKeyJob(core, bucket, {
        task: renameOf(pattern),
        accountId: ROOT_ACCOUNT.id,
      });
      await expect(started).rejects.toMatchObject({ code: 'InvalidRequest' });
    }
  });
});
