// Records that this browser keeps in IndexedDB, by name: a database for each purpose, with
// one store. Every call opens it anew, so that no tab holds it against another.

const STORE = 'records';

/** All databases; whoever signs out empties them (traces.ts). */
export const DATABASES = ['quayside-uploads', 'quayside-downloads'] as const;
type Database = (typeof DATABASES)[number];

/** Runs the work, and gives what it reads when all of it is done. Rejects without room. */
function inStore<Result>(
  database: Database,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => () => Result,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const opened = opening.result;
      try {
        const transaction = opened.transaction(STORE, mode);
        const read = work(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(read());
        transaction.onabort = () => reject(transaction.error);
      } catch (error) {
        reject(error);
      }
      // It closes when the transaction is over.
      opened.close();
    };
  });
}

/** All records with their names. */
export const readRecords = <Value>(database: Database): Promise<[name: string, Value][]> =>
  inStore(database, 'readonly', (store) => {
    const names = store.getAllKeys();
    const values = store.getAll();
    return () => names.result.map((name, at) => [`${name}`, values.result[at]]);
  });

/** Writes records under their names; null takes one away. All are written, or none. */
export const writeRecords = (
  database: Database,
  records: Iterable<readonly [name: string, value: unknown]>,
): Promise<void> =>
  inStore(database, 'readwrite', (store) => {
    for (const [name, value] of records) {
      if (value === null) store.delete(name);
      else store.put(value, name);
    }
    return () => {};
  });

export const clearRecords = (database: Database): Promise<void> =>
  inStore(database, 'readwrite', (store) => {
    store.clear();
    return () => {};
  });
