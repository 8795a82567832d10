// What is typed in secret is never shown again, not even to whoever typed it.

/** Members of bodies that are secrets, with their values. */
const SECRET =
  /("(?:password|currentPassword|newPassword|secretAccessKey|secret)":)"(?:[^"\\]|\\.)*"/g;

/** The JSON of a body with each secret as `…`. */
export const hideSecrets = (json: string): string => json.replace(SECRET, '$1"…"');
