// One setting: its variable, meaning, unit, bounds, default and parser. The tables
// beside this file are made of it; config.ts parses by them,
// scripts/configuration-page.ts prints them.
import { ConfigError, parseChoice, parseSwitch } from './parse-texts.ts';

/** Where the program runs; it chooses some of the defaults. */
export type Platform = 'node' | 'cloudflare';

type PerPlatform<Value> = Readonly<Record<Platform, Value>>;

export type Setting<Value> = {
  /** Name in the environment, or of the Worker's variable or secret. */
  readonly variable: string;
  /** What it does, in sentences of Markdown. */
  readonly meaning: string;
  /** What the number counts; null for a text. */
  readonly unit: string | null;
  /** Values that are taken, for readers; null where the meaning says it. */
  readonly allowed: string | null;
  /** The platform that alone heeds it; null: both. */
  readonly only: Platform | null;
  /** Value without the variable, as the page shows it. */
  readonly defaultText: PerPlatform<string>;
  /** Value of a text that is trimmed and not empty, or of no text. ConfigError. */
  readonly parse: (text: string | null, platform: Platform) => Value;
};

/** Settings by the name of their member in Config. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The values that a table gives. */
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['parse']>;
};

type Base = { readonly meaning: string; readonly only?: Platform | null };

const NO_TEXT = 'none';

function perPlatform<Value>(value: Value | PerPlatform<Value>): PerPlatform<Value> {
  const isPair = typeof value === 'object' && value !== null;
  if (isPair) return value as PerPlatform<Value>;
  return { node: value as Value, cloudflare: value as Value };
}

type WholeOptions = Base & {
  readonly unit: string;
  readonly fallback: number | PerPlatform<number>;
  readonly min: number;
  readonly max: number;
};

/** A whole number between two bounds. */
export function whole(variable: string, options: WholeOptions): Setting<number> {
  const { min, max, unit, meaning, only = null } = options;
  const fallback = perPlatform(options.fallback);
  return {
    variable,
    meaning,
    unit,
    only,
    allowed: `${min} to ${max}`,
    defaultText: {
      node: shownNumber(fallback.node, unit),
      cloudflare: shownNumber(fallback.cloudflare, unit),
    },
    parse(text, platform) {
      if (text === null) return fallback[platform];
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      const shown = text.slice(0, 40);
      const rule = `a whole number from ${min} to ${max}`;
      throw new ConfigError(`${variable} must be ${rule}, not "${shown}".`);
    },
  };
}

/** A whole number of seconds whose value is in milliseconds. */
export function wholeSecondsAsMs(variable: string, options: WholeOptions): Setting<number> {
  const seconds = whole(variable, options);
  return { ...seconds, parse: (text, platform) => seconds.parse(text, platform) * 1000 };
}

/** `on` or `off`. */
export function onOff(
  variable: string,
  { meaning, fallback, only = null }: Base & { readonly fallback: 'on' | 'off' },
): Setting<boolean> {
  return {
    variable,
    meaning,
    only,
    unit: null,
    allowed: '`on`, `off`',
    defaultText: perPlatform(`\`${fallback}\``),
    parse: (text) => parseSwitch(variable, text ?? fallback),
  };
}

/** One of some words. */
export function oneOf<const Choice extends string>(
  variable: string,
  {
    meaning,
    choices,
    fallback,
    only = null,
  }: Base & {
    readonly choices: readonly Choice[];
    readonly fallback: NoInfer<Choice>;
  },
): Setting<Choice> {
  return {
    variable,
    meaning,
    only,
    unit: null,
    allowed: choices.map((choice) => `\`${choice}\``).join(', '),
    defaultText: perPlatform(`\`${fallback}\``),
    parse: (text) => parseChoice(variable, text ?? fallback, choices),
  };
}

/** A text that is always there: the default is parsed too. */
export function text<Value>(
  variable: string,
  {
    meaning,
    fallback,
    parse,
    only = null,
  }: Base & {
    readonly fallback: string;
    readonly parse: (text: string) => Value;
  },
): Setting<Value> {
  return {
    variable,
    meaning,
    only,
    unit: null,
    allowed: null,
    defaultText: perPlatform(`\`${fallback}\``),
    parse: (value) => parse(value ?? fallback),
  };
}

/** A text that may be missing. `shown` says on the page what holds then. */
export function optional<Value>(
  variable: string,
  {
    meaning,
    parse,
    shown = NO_TEXT,
    only = null,
  }: Base & {
    readonly parse: (text: string | null, platform: Platform) => Value;
    readonly shown?: string | PerPlatform<string>;
  },
): Setting<Value> {
  return {
    variable,
    meaning,
    only,
    parse,
    unit: null,
    allowed: null,
    defaultText: perPlatform(shown),
  };
}

const BINARY_UNITS = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const;

/**
 * A number as the page shows it: bytes also in the largest unit that divides them.
 */
function shownNumber(value: number, unit: string): string {
  if (value === Number.POSITIVE_INFINITY) return 'no limit';
  const fitting = BINARY_UNITS.find(([size]) => value >= size && value % size === 0);
  if (!unit.startsWith('bytes') || fitting === undefined) return `${value}`;
  return `${value} (${value / fitting[0]} ${fitting[1]})`;
}
