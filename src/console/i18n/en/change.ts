// Texts of change.
export const change = {};
