// Texts of keys.
export const keys = {};
