import type { jobs as English } from '../en/jobs.ts';

export const jobs: typeof English = {};
