// Texts of palette.
export const palette = {};
