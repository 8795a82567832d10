import type { browse as English } from '../en/browse.ts';

export const browse: typeof English = {};
