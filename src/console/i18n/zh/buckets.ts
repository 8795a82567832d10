import type { buckets as English } from '../en/buckets.ts';

export const buckets: typeof English = {};
