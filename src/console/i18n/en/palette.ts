// The palette, the list of keys, and the view as calls of the API.
export const palette = {
  placeholder: 'Name of a place, an object or a command',
  places: 'Places',
  objectsIn: (bucket: string) => `Objects in ${bucket}`,
  here: 'Do here',
  nothing: (text: string) => `Nothing with “${text}”.`,
  open: 'open',
  newTab: 'in a new tab',
  commands: 'commands',
  keys: 'keys',
  letters: 'Single letters are commands',
  lettersHint: 'Switch it off if you speak to your computer or hit keys by accident.',
  form: 'Form',
  callsHint:
    'These are the requests of what you see. ' +
    'Make a token under Settings and put it into $QUAYSIDE_TOKEN.',
};
