// Version of the program, which a bundle for Workers cannot read from package.json.
// A test holds it to package.json; both change in the commit of a release.

/** Semantic version, as package.json has it. */
export const VERSION = '0.1.0';
