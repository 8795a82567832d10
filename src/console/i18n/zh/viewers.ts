import type { viewers as English } from '../en/viewers.ts';

export const viewers: typeof English = {};
