// Texts of jobs.
export const jobs = {};
