// What is playing: a queue of the sound files of a folder, kept outside every view,
// so that it plays on while one browses. The frame of every view knows it.
import { signal } from '@preact/signals';

export type Queue = {
  readonly bucket: string;
  readonly keys: readonly string[];
  /** Which of the keys plays. */
  readonly at: number;
};

export const queue = signal<Queue | null>(null);
/** Whether the player plays now; the player says so itself. */
export const isPlaying = signal(false);
/** Called to have the player go on or wait. */
export const playerCommand = signal<{ readonly do: 'play' | 'pause' } | null>(null);

export const stopPlaying = (): void => {
  queue.value = null;
  isPlaying.value = false;
};
