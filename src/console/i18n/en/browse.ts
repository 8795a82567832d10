// Texts of browse.
export const browse = {};
