// A reader of a limited share link that takes nothing for a long time: its place stays its own.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LINK_PERMIT_MS, LINK_PERMIT_RENEW_MS } from '../../../../src/domain/links/link-limits.ts';
import { putBytes } from '../../../core/memory-core.ts';
import { addShare, createLinkApp } from '../kit/link-app.ts';

/** More than any chunk. */
const SIZE = 4 * 1024 * 1024;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open() {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/one', new Uint8Array(SIZE));
  const limits = { downloads: 1, bytes: null, moneyMicro: null };
  const { id } = await addShare(app, { limits, cutsRunning: true });
  const ask = (from: string) => app.ask({ target: `/-/s/${id}/one`, from });
  /** Begins a download and reads its first bytes. */
  const begin = async (from: string) => {
    const response = await ask(from);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    await reader.read();
    return reader;
  };
  return { app, id, ask, begin };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

it('nobody takes the place of a reader that is silent for minutes', async () => {
  const { app, ask, begin } = await open();
  const reader = await begin('203.0.113.1');
  for (let waitedMs = 0; waitedMs < 2 * LINK_PERMIT_MS; waitedMs += LINK_PERMIT_RENEW_MS) {
    app.core.advanceSeconds(LINK_PERMIT_RENEW_MS / 1000);
    vi.advanceTimersByTime(LINK_PERMIT_RENEW_MS);
    await app.core.settle();
    expect((await ask('203.0.113.2')).status).toBe(429);
  }
  await readAll(reader);
  await app.core.settle();
  expect((await ask('203.0.113.2')).status).toBe(410);
  expect(vi.getTimerCount()).toBe(0);
});

it('a reader whose place was given to another gets nothing more', async () => {
  const { app, begin } = await open();
  const slow = await begin('203.0.113.1');
  // Its process stands still, and no timer runs.
  app.core.advanceSeconds(LINK_PERMIT_MS / 1000);
  const other = await begin('203.0.113.2');
  await expect(readAll(slow)).rejects.toThrow();
  await readAll(other);
  await app.core.settle();
  expect(vi.getTimerCount()).toBe(0);
});

it('a download goes on where nobody can say whether its link was revoked', async () => {
  const { app, id, begin } = await open();
  const reader = await begin('203.0.113.1');
  app.core.ports.hotShares.block(id as never);
  const call = vi.spyOn(app.core.ports.metadataIndex, 'call');
  call.mockRejectedValue(new Error('The index is away.'));
  await reader.read();
  await reader.read();
  call.mockRestore();
  await readAll(reader);
});
