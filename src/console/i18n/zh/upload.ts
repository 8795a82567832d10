import type { upload as English } from '../en/upload.ts';

export const upload: typeof English = {};
