// Texts of upload.
export const upload = {};
