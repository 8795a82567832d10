// Texts of object.
export const object = {};
