// What Cache-Status, Server-Timing and Age of a response mean, in words.
import { bytes } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

export type ProbeFacts = {
  readonly status: number;
  readonly cacheStatus: string | null;
  readonly serverTiming: string | null;
  readonly age: string | null;
  readonly cacheControl: string | null;
  readonly contentRange: string | null;
  /** Until the head of the response was here, milliseconds. */
  readonly tookMs: number;
};

/** A member of Server-Timing (W3C): `body;desc=bucket;dur=3.4`. */
type Timing = { readonly name: string; readonly desc: string; readonly ms: number | null };

export function timingsOf(header: string | null): readonly Timing[] {
  return (header ?? '').split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim());
    if (name === '') return [];
    const parameterOf = (key: string) =>
      parameters.find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1) ?? null;
    const duration = parameterOf('dur');
    return [
      { name, desc: parameterOf('desc') ?? '', ms: duration === null ? null : Number(duration) },
    ];
  });
}

/** Slower than this part of the whole is what is named as the reason. */
const MOST = 0.5;

/** Sentences, the verdict first. */
export function probeWords(facts: ProbeFacts): readonly string[] {
  const texts = t().access.probed;
  const { status, cacheStatus, serverTiming, age, cacheControl, contentRange } = facts;
  const timings = timingsOf(serverTiming);
  const total = timings.find(({ name }) => name === 'total')?.ms ?? null;
  const whole = contentRange?.split('/')[1];
  return [
    status >= 400 ? texts.refused(`${status}`) : verdict(cacheStatus, serverTiming),
    ...(cacheStatus?.includes('detail=') ? [staleness(cacheStatus)] : []),
    ...timings
      .filter(({ name }) => name in texts.steps)
      .map(({ name, desc, ms }) => {
        const step = texts.steps[name as keyof typeof texts.steps];
        const source = texts.sources[desc as keyof typeof texts.sources] ?? desc;
        return texts.step(step, source, ms === null ? '0' : `${ms}`);
      }),
    ...(total === null ? [] : [networkWords(total, facts.tookMs)]),
    ...(age === null ? [] : [texts.age(age)]),
    ...(cacheControl === null ? [] : [texts.cacheControl(cacheControl)]),
    ...(whole === undefined || whole === '*' ? [] : [texts.size(bytes(whole))]),
  ];
}

function verdict(cacheStatus: string | null, serverTiming: string | null): string {
  const texts = t().access.probed;
  if (cacheStatus === null) {
    return serverTiming?.startsWith('auth') === true ? texts.signed : texts.noStatus;
  }
  const members = cacheStatus.split(',').map((member) => member.trim());
  const hit = members.findLast((member) => /;\s*hit\b/.test(member));
  if (hit === undefined) return cacheStatus.includes('fwd=stale') ? texts.stale : texts.miss;
  const tier = hit.split(';')[0] ?? '';
  return texts.hit(texts.tiers[tier as keyof typeof texts.tiers] ?? tier);
}

const staleness = (cacheStatus: string): string => {
  const texts = t().access.probed;
  return cacheStatus.includes('stale-if-error') ? texts.staleError : texts.staleRevalidating;
};

/** Whether the server or the way to it took the time. */
function networkWords(serverMs: number, tookMs: number): string {
  const texts = t().access.probed;
  const took = `${Math.round(tookMs)}`;
  return serverMs > tookMs * MOST
    ? texts.serverSlow(`${serverMs}`, took)
    : texts.lineSlow(`${serverMs}`, took);
}
