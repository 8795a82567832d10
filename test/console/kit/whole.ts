// What runs only when all of the console is examined: `npm run console-test`, which sets
// QUAYSIDE_CONSOLE=whole. `npm test` runs the rest.

/** Whether all of it runs. */
export const IS_WHOLE = process.env.QUAYSIDE_CONSOLE === 'whole';
