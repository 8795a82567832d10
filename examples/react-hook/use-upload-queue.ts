// The queue as a React hook. The queue lives outside of the component, so that uploads go on when
// people move to another page:
//
//   const queue = createUploadQueue({ client, bucket: 'photos', storage: localStorage });
//
//   function Uploads() {
//     const { items, totals, add, cancel } = useUploadQueue(queue);
//     return <>
//       <input type="file" multiple onChange={(event) => add(event.target.files ?? [])} />
//       <progress max={totals.sizeBytes} value={totals.sentBytes} />
//       {items.map(({ id, path, state }) => <p key={id}>{path} {state}
//         <button onClick={() => cancel([id])}>Cancel</button></p>)}
//     </>;
//   }
import type { QueueSnapshot, UploadQueue } from 'quayside/client';
import { useSyncExternalStore } from 'react';

/** What the queue shows now, and its verbs. */
export function useUploadQueue(queue: UploadQueue): QueueSnapshot & UploadQueue {
  const snapshot = useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot);
  return { ...snapshot, ...queue };
}
