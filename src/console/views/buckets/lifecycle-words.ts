// Lifecycle rules as sentences.
import type { LifecycleRule } from 'quayside/client';
import { bytes, date } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

/** `What begins with logs/: deleted after 30 days. Unfinished uploads go after 7 days.` */
export function ruleSentence(rule: LifecycleRule): string {
  const texts = t().buckets.lifecycle;
  const acts = [
    ...current(rule),
    ...noncurrent(rule),
    ...(rule.abortUploadsAfterDays == null
      ? []
      : [texts.abort(texts.days(rule.abortUploadsAfterDays))]),
  ];
  const words = acts.length === 0 ? texts.nothing : acts.join(texts.and);
  const sentence = texts.sentence(subjectOf(rule), words);
  return rule.isEnabled === false ? texts.off(sentence) : sentence;
}

function subjectOf({ filter }: LifecycleRule): string {
  const texts = t().buckets.lifecycle;
  const { prefix, tags, sizeGreaterThan, sizeLessThan } = filter ?? {};
  const named = Object.entries(tags ?? {}).map(([name, value]) => `${name}=${value}`);
  const parts = [
    ...(prefix ? [texts.prefix(prefix)] : []),
    ...(named.length > 0 ? [texts.tags(named.join(', '))] : []),
    ...(sizeGreaterThan == null ? [] : [texts.above(bytes(sizeGreaterThan))]),
    ...(sizeLessThan == null ? [] : [texts.below(bytes(sizeLessThan))]),
  ];
  return parts.length === 0 ? texts.everything : texts.what(parts.join(texts.and));
}

const whenOf = ({
  days,
  date: at,
}: {
  days?: number | null | undefined;
  date?: string | null | undefined;
}) => {
  const texts = t().buckets.lifecycle;
  return days == null ? texts.on(at == null ? '' : date(at)) : texts.after(texts.days(days));
};

function current({ expiration, transitions = [] }: LifecycleRule): string[] {
  const texts = t().buckets.lifecycle;
  const moves = transitions.map((one) => texts.moves(one.storageClass, whenOf(one)));
  if (expiration == null) return moves;
  const isTimed = expiration.days != null || expiration.date != null;
  return [
    ...moves,
    ...(isTimed ? [texts.deletes(whenOf(expiration))] : []),
    ...(expiration.expiredObjectDeleteMarker === true ? [texts.markers] : []),
  ];
}

function noncurrent({ noncurrentExpiration, noncurrentTransitions = [] }: LifecycleRule) {
  const texts = t().buckets.lifecycle;
  const moves = noncurrentTransitions.map((one) =>
    texts.movesOlder(one.storageClass, texts.after(texts.days(one.noncurrentDays))),
  );
  if (noncurrentExpiration == null) return moves;
  const { noncurrentDays, newerVersions } = noncurrentExpiration;
  const kept = newerVersions == null ? '' : texts.butKeep(`${newerVersions}`);
  return [...moves, texts.deletesOlder(texts.days(noncurrentDays)) + kept];
}
