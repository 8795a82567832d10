// What the element shows and hands on, over a tiny document; how it looks is left to browsers.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ItemState, QueueItem, UploadQueue } from '../../src/client/index.ts';
import { totalsOf } from '../../src/client/index.ts';
import { TinyElement } from './tiny-dom.ts';

type Element = TinyElement & {
  queue: UploadQueue | null;
  readDrop: unknown;
  connectedCallback(): void;
};
let QuaysideUpload: new () => Element;
const defined = new Map<string, unknown>();

beforeAll(async () => {
  vi.stubGlobal('HTMLElement', TinyElement);
  vi.stubGlobal('document', { createElement: (tag: string) => new TinyElement(tag) });
  vi.stubGlobal('customElements', {
    get: (name: string) => defined.get(name),
    define: (name: string, made: unknown) => defined.set(name, made),
  });
  // Its types are those of browsers, which these tests are not compiled with.
  const path = fileURLToPath(new URL('../../src/client/upload-element.ts', import.meta.url));
  QuaysideUpload = (await import(/* @vite-ignore */ path)).QuaysideUpload;
});
afterAll(() => void vi.unstubAllGlobals());

const itemOf = (id: string, state: ItemState, sentBytes = 0): QueueItem => ({
  id,
  bucket: 'b',
  key: `${id}.txt`,
  path: `${id}.txt`,
  sizeBytes: 100,
  sentBytes,
  bytesPerSecond: 0,
  secondsLeft: null,
  state,
  error: null,
  result: null,
});

/** A queue that shows what it is given, and notes what it is asked for. */
function fakeQueue(first: readonly QueueItem[]) {
  const calls: unknown[][] = [];
  const listeners = new Set<() => void>();
  let items = first;
  const note =
    (name: string) =>
    (...input: unknown[]) =>
      void calls.push([name, ...input]);
  const queue = {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => ({ items, totals: totalsOf(items) }),
    ...Object.fromEntries(
      ['add', 'pause', 'resume', 'retry', 'cancel'].map((name) => [name, note(name)]),
    ),
  } as unknown as UploadQueue;
  const show = (next: readonly QueueItem[]) => {
    items = next;
    for (const listener of listeners) listener();
  };
  return { queue, calls, show, listeners };
}

function elementWith(queue: UploadQueue) {
  const element = new QuaysideUpload();
  element.queue = queue;
  element.connectedCallback();
  const root = element.shadowRoot ?? new TinyElement();
  const rows = () =>
    (root.querySelector('ul')?.children ?? []).map((row) => ({
      text: row.querySelector('span')?.textContent,
      share: Number(row.querySelector('progress')?.value),
      buttons: row.all().filter(({ tag }) => tag === 'button'),
    }));
  return { element, root, rows };
}

it('the element is defined once under its name', () => {
  expect([...defined]).toEqual([['quayside-upload', QuaysideUpload]]);
});

it('the element shows each file with its state and what can be done, and the whole', () => {
  const { queue, calls, show } = fakeQueue([itemOf('a', 'sending', 40), itemOf('b', 'failed')]);
  const { root, rows } = elementWith(queue);
  expect(rows().map(({ text, share }) => [text, share])).toEqual([
    ['a.txt – sending', 40],
    ['b.txt – failed', 0],
  ]);
  expect(root.querySelector('[part=summary]')?.textContent).toBe('0 of 2 files, 20 %');
  for (const row of rows()) for (const button of row.buttons) button.onclick?.();
  expect(calls).toEqual([
    ['pause', ['a']],
    ['cancel', ['a']],
    ['retry', ['b']],
    ['cancel', ['b']],
  ]);
  const [button] = rows()[0]?.buttons ?? [];
  show([itemOf('a', 'sending', 60), itemOf('b', 'done', 100)]);
  expect(rows()[0]).toMatchObject({ share: 60 });
  // Who is about to press a button keeps it: a row changes its buttons with its state alone.
  expect(rows()[0]?.buttons[0]).toBe(button);
  expect(rows()[1]).toMatchObject({ text: 'b.txt – done', buttons: [] });
  show([itemOf('b', 'done', 100)]);
  expect(rows().map(({ text }) => text)).toEqual(['b.txt – done']);
});

it('the element shows two hundred of many', () => {
  const { queue } = fakeQueue(Array.from({ length: 1000 }, (_, at) => itemOf(`${at}`, 'waiting')));
  const { root, rows } = elementWith(queue);
  expect(rows()).toHaveLength(200);
  expect(root.querySelector('[part=more]')?.textContent).toBe('and 800 more');
});

it('the element gives chosen and dropped files to the queue, and lets go of a queue', async () => {
  const { queue, calls, listeners } = fakeQueue([]);
  const { element, root } = elementWith(queue);
  const input = root.querySelector('input') ?? new TinyElement();
  const file = new File(['a'], 'a');
  input.files = [file];
  input.onchange?.();
  const event = { preventDefault: () => {}, dataTransfer: { files: [file] } };
  await element.ondrop?.(event);
  element.readDrop = async () => [{ file, path: 'folder/a' }];
  await element.ondrop?.(event);
  expect(calls).toEqual([
    ['add', [file]],
    ['add', [file]],
    ['add', [{ file, path: 'folder/a' }]],
  ]);
  expect(listeners.size).toBe(1);
  element.queue = null;
  expect(listeners.size).toBe(0);
});
