// A reader of structured fields, as strict as RFC 9651 section 4.2 wants it, for lists of items
// with parameters: that is all Cache-Status needs. And `cacheStatusProblem`, which says what RFC
// 9211 would find wrong. Nothing from src.

export type Token = { readonly token: string };
export type BareItem = string | number | boolean | Token | Uint8Array;
export type Item = { readonly value: BareItem; readonly parameters: ReadonlyMap<string, BareItem> };

const isToken = (value: BareItem | undefined): value is Token =>
  typeof value === 'object' && !(value instanceof Uint8Array);

/**
 * Each form of a bare item, anchored at the place where it is tried. Source: RFC 9651 sections
 * 3.3.1 to 3.3.6
 */
const FORMS: readonly (readonly [RegExp, (text: string) => BareItem])[] = [
  [/-?\d{1,12}\.\d{1,3}(?![\d.])/y, Number],
  [/-?\d{1,15}(?![\d.])/y, Number],
  [
    /"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y,
    (text) => text.slice(1, -1).replace(/\\(["\\])/g, '$1'),
  ],
  [/[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*/y, (token) => ({ token })],
  [/:[A-Za-z0-9+/=]*:/y, (text) => Buffer.from(text.slice(1, -1), 'base64')],
  [/\?[01]/y, (text) => text === '?1'],
];
const KEY = /[a-z*][a-z0-9_\-.*]*/y;

/** The members of a list of items. Throws an Error that names the place when the text is none. */
export function parseItemList(text: string): Item[] {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  const fail = (wanted: string): never => {
    throw new Error(`${wanted} expected at ${at} of ${JSON.stringify(text)}`);
  };
  const bareItem = (): BareItem => {
    for (const [pattern, read] of FORMS) {
      const found = take(pattern);
      if (found !== null) return read(found);
    }
    return fail('an item');
  };
  const parameters = (): Map<string, BareItem> => {
    const found = new Map<string, BareItem>();
    while (take(/;/y) !== null) {
      take(/ */y);
      const key = take(KEY) ?? fail('a key');
      found.set(key, take(/=/y) === null ? true : bareItem());
    }
    return found;
  };

  const members: Item[] = [];
  take(/ */y);
  while (at < text.length) {
    members.push({ value: bareItem(), parameters: parameters() });
    take(/[ \t]*/y);
    if (at === text.length) return members;
    if (take(/,/y) === null) fail('a comma');
    take(/[ \t]*/y);
    if (at === text.length) fail('a member');
  }
  return members;
}

/** Source: RFC 9211 section 2.2 */
const FORWARD_REASONS = [
  'bypass',
  'method',
  'uri-miss',
  'vary-miss',
  'miss',
  'request',
  'stale',
  'partial',
];

/** What each parameter may hold. Source: RFC 9211 section 2 */
const PARAMETERS: Readonly<Record<string, (value: BareItem | undefined) => boolean>> = {
  hit: (value) => typeof value === 'boolean',
  fwd: (value) => isToken(value) && FORWARD_REASONS.includes(value.token),
  'fwd-status': (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599,
  ttl: Number.isInteger,
  stored: (value) => typeof value === 'boolean',
  collapsed: (value) => typeof value === 'boolean',
  key: (value) => typeof value === 'string',
  detail: (value) => typeof value === 'string' || isToken(value),
};

/** What is wrong with a Cache-Status, or null. */
export function cacheStatusProblem(text: string): string | null {
  let members: Item[];
  try {
    members = parseItemList(text);
  } catch (error) {
    return String(error);
  }
  if (members.length === 0) return 'no member';
  for (const { value, parameters } of members) {
    if (typeof value !== 'string' && !isToken(value))
      return 'a cache is named by a string or a token';
    for (const [name, parameter] of parameters) {
      const isRight = PARAMETERS[name];
      // Parameters of others are allowed; ours are all in the RFC.
      if (isRight === undefined) return `an unknown parameter ${name}`;
      if (!isRight(parameter)) return `${name} cannot be that: ${text}`;
    }
    const isHit = parameters.get('hit') === true;
    if (isHit === parameters.has('fwd'))
      return `a member is a hit or was forwarded, not both or neither: ${text}`;
    const needsForward = ['fwd-status', 'stored', 'collapsed'].filter((name) =>
      parameters.has(name),
    );
    if (isHit && needsForward.length > 0) return `${needsForward[0]} has no meaning for a hit`;
  }
  return null;
}
