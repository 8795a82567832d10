// Responses as texts to compare with what was recorded: status, all headers, and what was noted of
// the request for metrics, logs and the audit, but for times.
import { newRequestNotes, type RequestNotes } from '../../src/http/observe/request-notes.ts';

export type Recorded = {
  /** Names the request for the eye. */
  readonly title: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: RequestNotes;
};

/** One block for each response, names in order. */
export function recordOf(responses: readonly Recorded[]): string {
  return responses.map((response) => `${blockOf(response)}\n`).join('\n');
}

function blockOf({ title, status, headers, notes }: Recorded): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return [`${title}`, `  ${status}`, ...lines.toSorted(), ...notedOf(notes)].join('\n');
}

/** What is not as it was before anybody looked; of times, whether it was noted at all. */
function notedOf(notes: RequestNotes): string[] {
  const blank: Record<string, unknown> = newRequestNotes();
  const { startedMs, foundMs, document, ...others } = notes;
  const noted = Object.entries(others)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(blank[name]))
    .map(([name, value]) => `  ${name} = ${JSON.stringify(value)}`);
  const times = foundMs > startedMs ? ['  foundMs is noted'] : [];
  return [...noted, ...times, ...(document === null ? [] : [`  document of ${document.length}`])];
}
