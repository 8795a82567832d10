// What meters are called on bills, and the units that they are shown in. One table
// for each language; English is the only one. It knows no price.

import { isInByteTime, type MeterName } from '../../metering/usage.ts';
import { formatDecimal, SCALE } from '../decimal.ts';

/** Bytes of a GB. */
const GB = 1_000_000_000n;

type Words = {
  /** By kind; `{name}` is what the meter's name says after the stroke. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Meters that have a name of their own. */
  readonly meters: Readonly<Record<string, string>>;
  /** What stands after the stroke, if it is not said as it is. */
  readonly names: Readonly<Record<string, string>>;
  readonly units: { readonly byteTime: string; readonly bytes: string; readonly requests: string };
  /** Units of single meters. */
  readonly ownUnits: Readonly<Record<string, string>>;
};

const ENGLISH: Words = {
  kinds: {
    storage: 'Storage, {name}',
    deduplicated: 'Storage saved by deduplication, {name}',
    compressed: 'Storage saved by compression, {name}',
    'early-delete': 'Storage deleted before its minimum duration, {name}',
    'class-a': 'Write and list requests, {name}',
    'class-b': 'Read requests, {name}',
    free: 'Free requests, {name}',
    egress: 'Data transfer out, {name}',
    retrieval: 'Data retrieval, {name}',
  },
  meters: {
    'free/blocked': 'Refused requests of strangers',
    'free/stale-uploads': 'Unfinished uploads given up',
    'free/stale-upload-bytes': 'Storage that giving them up freed',
  },
  names: {
    STANDARD: 'Standard',
    STANDARD_IA: 'Standard-IA',
    ONEZONE_IA: 'One Zone-IA',
    GLACIER_IR: 'Glacier Instant Retrieval',
    GLACIER: 'Glacier',
    DEEP_ARCHIVE: 'Glacier Deep Archive',
    REDUCED_REDUNDANCY: 'Reduced Redundancy',
    INTELLIGENT_TIERING: 'Intelligent-Tiering',
    memory: 'from memory',
    edge: 'from the edge',
    bucket: 'from storage',
    made: 'of generated answers',
  },
  units: { byteTime: 'GB-hour', bytes: 'GB', requests: 'requests' },
  ownUnits: { 'free/stale-uploads': 'uploads', 'free/stale-upload-bytes': 'bytes' },
};

/** The words of a meter with its quantity, exact, in the unit that they name. */
export function meterWords(meter: MeterName, quantity: bigint, words: Words = ENGLISH) {
  const [kind = '', name = ''] = meter.split('/');
  const kindLabel = words.kinds[kind]?.replace('{name}', () => words.names[name] ?? name);
  const unit = unitOf(meter, kind);
  return {
    label: words.meters[meter] ?? kindLabel ?? meter,
    unit: words.ownUnits[meter] ?? words.units[unit],
    quantity: unit === 'requests' ? String(quantity) : formatDecimal((quantity * SCALE) / GB),
  };
}

function unitOf(meter: MeterName, kind: string): keyof Words['units'] {
  if (isInByteTime(meter)) return 'byteTime';
  return kind === 'egress' || kind === 'retrieval' ? 'bytes' : 'requests';
}
