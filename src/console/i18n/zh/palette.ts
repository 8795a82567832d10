import type { palette as English } from '../en/palette.ts';

export const palette: typeof English = {};
