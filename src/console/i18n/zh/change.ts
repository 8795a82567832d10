import type { change as English } from '../en/change.ts';

export const change: typeof English = {};
