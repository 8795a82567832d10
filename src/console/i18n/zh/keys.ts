import type { keys as English } from '../en/keys.ts';

export const keys: typeof English = {};
