// Texts of viewers.
export const viewers = {};
