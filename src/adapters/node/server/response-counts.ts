// Counts what only the server sees: answers that are on their way, those whose client left before
// the end, and what was no HTTP. serve.ts keeps one for node:http and the hot lane together.
import type { ServerResponse } from 'node:http';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';

export type AnswerCounts = {
  /** An answer that node:http will give. Cost: 0.1 µs. */
  watch(outgoing: ServerResponse): void;
  /**
   * An answer that the hot lane makes behind its back or that waits there for its reader; each is
   * ended once.
   */
  begun(): void;
  /** `isWhole` false: its client left before the end. */
  ended(isWhole: boolean): void;
  /** One that is neither watched nor begun here ended before its client had it. */
  cutShort(): void;
  /** Something came that was no request. */
  refused(): void;
  families(): readonly MetricFamily[];
};

export function createAnswerCounts(): AnswerCounts {
  let open = 0;
  let cutShort = 0;
  let refused = 0;
  function ended(isWhole: boolean): void {
    open -= 1;
    if (!isWhole) cutShort += 1;
  }
  /** One function for all: it comes once for each response, whatever became of it. */
  function onClose(this: ServerResponse): void {
    ended(this.writableFinished);
  }
  return {
    watch(outgoing) {
      open += 1;
      outgoing.on('close', onClose);
    },
    begun() {
      open += 1;
    },
    ended,
    cutShort() {
      cutShort += 1;
    },
    refused() {
      refused += 1;
    },
    families: () => [
      metricFamily(
        'gauge',
        'quayside_answers_open',
        'Answers that are being made or sent; not those sent at once.',
        [[{}, open]],
      ),
      metricFamily(
        'counter',
        'quayside_answers_cut_short_total',
        'Answers whose client left before their end.',
        [[{}, cutShort]],
      ),
      metricFamily(
        'counter',
        'quayside_malformed_requests_total',
        'What came and was refused as no HTTP, or as a target or Host that can be none.',
        [[{}, refused]],
      ),
    ],
  };
}
