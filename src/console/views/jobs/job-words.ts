// A job as a sentence, in the tense of its state: shown in the list and in toasts.
import type { Item } from 'quayside/client';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

export type AccountJob = Item<'GET /jobs'>;

type JobFacts = Pick<
  AccountJob,
  'kind' | 'state' | 'counts' | 'total' | 'prefix' | 'to' | 'toBucket' | 'bucket'
>;

/** `Moved 5,214 objects from assets/web/ to assets/site/.` */
export function jobSentence(job: JobFacts): string {
  const { kind, state, counts, total, prefix, to, toBucket, bucket } = job;
  const words = t().jobs.sentences;
  const sentence = words[kind as keyof typeof words] ?? words.undo;
  const isRunning = state === 'running';
  const number = isRunning ? (total ?? counts.done) : counts.done;
  return sentence({
    isRunning,
    objects: t().units.objects(number, count(number)),
    from: `${bucket}/${prefix ?? ''}`,
    to: `${toBucket ?? bucket}/${to ?? ''}`,
  });
}
