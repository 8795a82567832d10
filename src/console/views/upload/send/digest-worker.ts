// Digests pieces of files beside the page, which so stays smooth: a blob comes as a
// reference, and is read here in small steps.
import { digestOf, type Piece, QuaysideError } from 'quayside/client';

/** What is asked, and answered under the same id. */
export type DigestCall = {
  readonly id: number;
  readonly algorithm: 'CRC64NVME' | 'SHA256';
  readonly piece: Piece;
};
export type DigestAnswer = {
  readonly id: number;
  readonly value: string | null;
  /** Code of what failed; null: nothing did. */
  readonly code: string | null;
  readonly message: string;
};

addEventListener('message', async ({ data }: MessageEvent<DigestCall>) => {
  const { id, algorithm, piece } = data;
  let answer: DigestAnswer;
  try {
    answer = { id, value: await digestOf(algorithm, piece), code: null, message: '' };
  } catch (error) {
    const code = error instanceof QuaysideError ? error.code : 'DigestFailed';
    answer = { id, value: null, code, message: String(error) };
  }
  postMessage(answer);
});
