import type { object as English } from '../en/object.ts';

export const object: typeof English = {};
