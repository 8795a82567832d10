// Jobs.
type Sentence = {
  readonly isRunning: boolean;
  /** `5,214 objects` */
  readonly objects: string;
  readonly from: string;
  readonly to: string;
};

export const jobs = {
  which: 'Which jobs',
  states: { all: 'All', running: 'Running', failed: 'Failed' },
  undoHint: 'Undo: the last 5 of a bucket, unless changed since',
  none: 'No jobs',
  noneHint: 'Moves, copies and deletions of many objects show here, and can be taken back.',
  kind: 'Kind',
  work: 'Work',
  result: 'Result',
  begun: 'Begun by',
  act: 'What can be done',
  noUndo: 'No undo',
  undone: 'Undone',
  running: (count: number) => `${count} running`,
  shown: (count: string) => `${count} shown`,
  of: (done: string, total: string) => `${done} of ${total}`,
  cancelled: (done: string) => `Cancelled after ${done}`,
  leftAsTheyWere: (count: number) => `${count} stayed as they were.`,
  show: 'Show',
  leftTitle: 'Objects that stayed as they were',
  reasons: {
    missing: 'Gone or changed before the job came to it',
    conflict: 'The new name is taken, or no key can be so',
    invalid: 'The object can’t have these headers',
    locked: 'Protected by a retention or a legal hold',
  },
  sentences: {
    move: ({ isRunning, objects, from, to }: Sentence) =>
      `${isRunning ? 'Moving' : 'Moved'} ${objects} from ${from} to ${to}`,
    copy: ({ isRunning, objects, from, to }: Sentence) =>
      `${isRunning ? 'Copying' : 'Copied'} ${objects} from ${from} to ${to}`,
    rename: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Renaming' : 'Renamed'} ${objects} in ${from}`,
    edit: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Editing' : 'Edited'} ${objects} in ${from}`,
    delete: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Deleting' : 'Deleted'} ${objects} from ${from}`,
    restore: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Putting back' : 'Put back'} ${objects} in ${from}`,
    'empty-trash': ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Removing' : 'Removed'} ${objects} from the trash of ${from} for good`,
    empty: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Removing' : 'Removed'} ${objects} with all versions from ${from} for good`,
    undo: ({ isRunning, objects, from }: Sentence) =>
      `${isRunning ? 'Undoing' : 'Undone'}: ${objects} in ${from}`,
  },
};
