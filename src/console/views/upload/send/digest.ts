// The digests of uploads: large pieces by a worker, small ones here, where a message
// would cost more than the digest.
import { digestOf, type Piece } from 'quayside/client';
import { QuaysideError } from '../../../api/client.ts';
import { scriptUrl } from '../../../app/script-url.ts';
import type { DigestAnswer, DigestCall } from './digest-worker.ts';
import workerUrl from './digest-worker.ts?worker&url';

/** Above so many bytes a digest takes longer than a frame of the page. */
const WORKER_FROM_BYTES = 256 * 1024;

type Waiting = {
  readonly call: DigestCall;
  resolve(value: string | Promise<string>): void;
  reject(error: unknown): void;
};

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
/** Whether the worker could not be loaded: then all is digested here. */
let isBroken = false;
let nextId = 0;

function startWorker(): Worker {
  const started = new Worker(scriptUrl(workerUrl), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<DigestAnswer>) => {
    const { id, value, code, message } = data;
    const one = waiting.get(id);
    waiting.delete(id);
    if (value !== null) one?.resolve(value);
    else one?.reject(new QuaysideError(code ?? 'DigestFailed', message));
  });
  started.addEventListener('error', () => {
    isBroken = true;
    for (const { call, resolve } of waiting.values()) {
      resolve(digestOf(call.algorithm, call.piece));
    }
    waiting.clear();
  });
  return started;
}

/** The digest that the SDK wants, in base64. */
export function digest(algorithm: DigestCall['algorithm'], piece: Piece): Promise<string> {
  const sizeBytes = piece instanceof Blob ? piece.size : piece.length;
  if (isBroken || sizeBytes < WORKER_FROM_BYTES) return digestOf(algorithm, piece);
  worker ??= startWorker();
  const id = nextId++;
  const call: DigestCall = { id, algorithm, piece };
  worker.postMessage(call);
  return new Promise((resolve, reject) => waiting.set(id, { call, resolve, reject }));
}
