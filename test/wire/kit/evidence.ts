// What the wire suite asked of a platform, by operation and class of status, out of the server's
// own metrics: evidence for docs/s3-compatibility.md (scripts/compatibility-evidence.ts). Written
// only when QUAYSIDE_WIRE_EVIDENCE names a file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { WireTarget } from './clients/target.ts';

const SAMPLE = /^quayside_requests_total\{([^}]*)\} (\d+)$/gm;

/**
 * Puts the counts of this platform into the file, in place of those of an earlier run. Call it
 * before the server ends.
 */
export async function writeWireEvidence(target: WireTarget): Promise<void> {
  const path = process.env.QUAYSIDE_WIRE_EVIDENCE;
  if (path === undefined) return;
  const headers = { authorization: `Bearer ${target.metricsToken}` };
  const response = await fetch(`${target.url}/-/metrics`, { headers });
  if (!response.ok) throw new Error(`No metrics for the evidence: ${response.status}`);
  const counts = countsOf(await response.text());
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
  writeFileSync(path, `${JSON.stringify({ ...known, [target.platform]: counts }, null, 1)}\n`);
}

/** Counts by operation and class of status, in the order of names. */
function countsOf(metrics: string): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const [, labels = '', count = '0'] of metrics.matchAll(SAMPLE)) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const operation = label('operation');
    const byClass = counts[operation] ?? {};
    counts[operation] = byClass;
    if (count !== '0') byClass[label('status')] = (byClass[label('status')] ?? 0) + Number(count);
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
