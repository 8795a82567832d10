// Texts of home.
export const home = {};
