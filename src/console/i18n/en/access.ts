// Texts of access.
export const access = {};
