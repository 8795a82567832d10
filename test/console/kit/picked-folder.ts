// A folder that the browser's picker gives, which outlives the page, for tests of uploads that go
// on by one click. The folder and its files are real, in the storage of the page's origin. The
// browser without a window dies when it reads a stored handle from a database, so the database
// keeps the folder's name, and what is read from it is a handle that acts as a stored one does: it
// may read only after somebody was asked, and asks only within a click.
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { LARGE_BYTES } from './upload-page.ts';

/** Files in the folder: a film of three parts, and small ones. */
export const PICKED_FILES = 21;

/** Bytes of the film, each part unlike the others; the test and the page make them alike. */
const FILM_WORDS = `(bytes) => {
  const words = new Uint32Array(bytes / 4);
  for (let at = 0; at < words.length; at++) words[at] = Math.imul(at + 1, 2654435761);
  return words;
}`;

const makeWords = new Function(`return ${FILM_WORDS}`)() as (bytes: number) => Uint32Array;

/** SHA-256 of the film, hex. */
export const FILM_DIGEST: string = createHash('sha256')
  .update(new Uint8Array(makeWords(LARGE_BYTES).buffer))
  .digest('hex');

/** A script for each page: the picker, and the database. `answerOfReader` is what is answered. */
export const STAND_IN_HANDLES = `
  globalThis.answerOfReader = 'granted';
  globalThis.timesAsked = 0;
  globalThis.showOpenFilePicker ??= () => Promise.reject(new Error('not this one'));
  globalThis.showDirectoryPicker = async () => {
    const root = await navigator.storage.getDirectory();
    const trip = await root.getDirectoryHandle('trip', { create: true });
    const day = await trip.getDirectoryHandle('day', { create: true });
    const write = async (folder, name, body) => {
      const file = await folder.getFileHandle(name, { create: true });
      const stream = await file.createWritable();
      await stream.write(body);
      await stream.close();
    };
    await write(trip, 'film.mp4', (${FILM_WORDS})(${LARGE_BYTES}));
    for (let at = 0; at < 20; at++) {
      await write(day, String(at).padStart(2, '0') + '.txt', new Uint8Array(100 + at));
    }
    return trip;
  };

  const readAgain = (name) => {
    let permission = 'prompt';
    const folder = async () => {
      if (permission !== 'granted') throw new DOMException('Not allowed', 'NotAllowedError');
      return (await navigator.storage.getDirectory()).getDirectoryHandle(name);
    };
    return {
      kind: 'directory',
      name,
      queryPermission: async () => permission,
      requestPermission: async () => {
        if (!navigator.userActivation.isActive) throw new DOMException('No click', 'SecurityError');
        globalThis.timesAsked++;
        permission = globalThis.answerOfReader;
        return permission;
      },
      getDirectoryHandle: async (below) => (await folder()).getDirectoryHandle(below),
      getFileHandle: async (below) => (await folder()).getFileHandle(below),
    };
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, ...rest) {
    const roots = value?.roots?.map(({ kind, name }) => ({ kind, name }));
    return put.call(this, roots ? { ...value, roots } : value, ...rest);
  };
  const { get } = Object.getOwnPropertyDescriptor(IDBRequest.prototype, 'result');
  const handles = new Map();
  const revive = (record) => {
    if (!record?.roots) return record;
    const roots = handles.get(record.id) ?? record.roots.map(({ name }) => readAgain(name));
    handles.set(record.id, roots);
    return { ...record, roots };
  };
  Object.defineProperty(IDBRequest.prototype, 'result', {
    get() {
      const result = get.call(this);
      return Array.isArray(result) ? result.map(revive) : result;
    },
  });`;

/** How many records the browser keeps of what is not over: batches and their files. */
export const recordCount = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const open = indexedDB.open('quayside-uploads');
    await new Promise((resolve) => { open.onsuccess = resolve; });
    const count = open.result.transaction('records').objectStore('records').count();
    await new Promise((resolve) => { count.onsuccess = resolve; });
    open.result.close();
    return count.result;
  })()`);
