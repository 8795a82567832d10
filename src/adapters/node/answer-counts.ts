// Counts what only the server sees: answers that are on their way, those whose client left before the end, and what was
// no HTTP. serve.ts keeps one.
import type { ServerResponse } from 'node:http';
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';

export type AnswerCounts = {
  /** An answer that node:http will give. Cost: 0.1 µs. */
  watch(outgoing: ServerResponse): void;
  /** Something came that was no request. */
  refused(): void;
  families(): readonly MetricFamily[];
};

export function createAnswerCounts(): AnswerCounts {
  let open = 0;
  let cutShort = 0;
  let refused = 0;
  /** One function for all: it comes once for each response, whatever became of it. */
  function onClose(this: ServerResponse): void {
    open -= 1;
    if (!this.writableFinished) cutShort += 1;
  }
  return {
    watch(outgoing) {
      open += 1;
      outgoing.on('close', onClose);
    },
    refused() {
      refused += 1;
    },
    families: () => [
      metricFamily(
        'gauge',
        'quayside_answers_open',
        'Requests of node:http from their head to the end of their answer.',
        [[{}, open]],
      ),
      metricFamily('counter', 'quayside_answers_cut_short_total', 'Answers whose client left before their end.', [
        [{}, cutShort],
      ]),
      metricFamily(
        'counter',
        'quayside_malformed_requests_total',
        'What came and was refused as no HTTP, or as a target or Host that can be none.',
        [[{}, refused]],
      ),
    ],
  };
}
