import type { access as English } from '../en/access.ts';

export const access: typeof English = {};
