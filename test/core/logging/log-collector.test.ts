// Lines of buckets' access logs where no timer writes them: each line that comes must be enough to
// write what is due, also of buckets that nobody asks for any more, and when there is no room for
// it.
import { describe, expect, it } from 'vitest';
import { createLogCollector } from '../../../src/core/logging/log-collector.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

const DELAY_MS = 60_000;
const KIB_LINE = 'x'.repeat(1023);

/**
 * `written`: buckets whose lines were taken to be written; none has a target, so nothing else comes
 * of it.
 */
function setUp() {
  const written: string[] = [];
  const core = createMemoryCore();
  const call = (async (name: string) => {
    written.push(name);
    return null;
  }) as unknown as MetadataIndex['call'];
  const dropped: unknown[] = [];
  const log = {
    info: () => undefined,
    error: (_name: string, fields: unknown) => void dropped.push(fields),
  };
  const given = withPorts(core, {
    metadataIndex: { ...core.ports.metadataIndex, call },
    log: { ...core.ports.log, ...log },
  });
  const collector = createLogCollector(given, DELAY_MS);
  const add = (bucket: string, lines = 1) => {
    for (let at = 0; at < lines; at++) collector.add(parseBucketName(bucket), KIB_LINE);
  };
  return { core, written, dropped, add };
}

describe('the log collector', () => {
  it('writes the old lines of idle buckets, one bucket with each new line', async () => {
    const { core, written, add } = setUp();
    for (const bucket of ['quiet-1', 'quiet-2', 'busy']) add(bucket);
    core.advanceSeconds(DELAY_MS / 1000 - 1);
    add('busy');
    expect(written).toEqual([]);
    core.advanceSeconds(1);
    add('busy');
    expect(written).toEqual(['quiet-1']);
    add('busy');
    add('busy');
    expect(written).toEqual(['quiet-1', 'quiet-2', 'busy']);
    await core.settle();
  });

  it('has room again after it was full, and reports what it dropped', async () => {
    const { core, written, dropped, add } = setUp();
    for (let at = 0; at < 20; at++) add(`bucket-${at}`, 900);
    expect([written, dropped]).toEqual([[], []]);
    core.advanceSeconds(DELAY_MS / 1000);
    add('new');
    expect(written).toEqual(['bucket-0']);
    expect(dropped).toEqual([{ lines: 20 * 900 - 16 * 1024 + 1 }]);
    add('new');
    expect(written).toEqual(['bucket-0', 'bucket-1']);
    await core.settle();
  });

  it('writes many lines at once, however young', async () => {
    const { core, written, add } = setUp();
    add('busy', 1024);
    expect(written).toEqual(['busy']);
    await core.settle();
  });
});
