// The rules of S3 for names of buckets, each as a check of its own, so that a form can
// show which of them a name keeps.

/** Rules by name; `reserved` and `dots` matter to few and are shown when broken. */
export const NAME_RULES = {
  length: (name: string) => name.length >= 3 && name.length <= 63,
  letters: (name: string) => /^[a-z0-9.-]*$/.test(name),
  ends: (name: string) => /^[a-z0-9]/.test(name) && /[a-z0-9]$/.test(name),
  dots: (name: string) => !name.includes('..') && !/^\d+\.\d+\.\d+\.\d+$/.test(name),
  reserved: (name: string) =>
    !/^(?:xn--|sthree-|amzn-s3-demo-)/.test(name) &&
    !/(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.test(name),
} as const satisfies Readonly<Record<string, (name: string) => boolean>>;

export type NameRule = keyof typeof NAME_RULES;
export const RULE_NAMES = Object.keys(NAME_RULES) as NameRule[];
/** Shown from the beginning; the others only when they are broken. */
export const ALWAYS_SHOWN: readonly NameRule[] = ['length', 'letters', 'ends'];

export const isBucketName = (name: string): boolean =>
  RULE_NAMES.every((rule) => NAME_RULES[rule](name));
