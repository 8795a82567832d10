// Words that stand beside numbers, times and rights.
export const units = {
  today: 'Today',
  yesterday: 'Yesterday',
  everyone: 'Everyone',
  everyonePart: 'Everyone, part',
  objects: (count: number, text: string) => (count === 1 ? `${text} object` : `${text} objects`),
  aMonth: (money: string) => `${money} a month`,
  optional: 'optional',
};
