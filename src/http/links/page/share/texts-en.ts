// What share pages say, in English: the shape of all languages.

const files = (count: string, isOne: boolean) => `${count} ${isOne ? 'file' : 'files'}`;

export const ENGLISH = {
  sharedFiles: 'Shared files',
  sharedFile: 'A file is shared with you.',
  sharedFolder: 'Files are shared with you.',
  forRecipient: (name: string) => `For ${name}`,

  download: 'Download',
  downloadOf: (size: string) => `Download, ${size}`,
  downloadFile: (name: string) => `Download ${name}`,
  downloadAll: 'Download all as ZIP',
  downloadAllOf: (size: string) => `Download all as ZIP, ${size}`,
  open: 'Open',
  openCounted: 'Open; this counts as a download',
  openPdf: 'Open the PDF',
  noPreview: 'Nothing of this file can be shown here.',
  excerptIsCut: 'This is the beginning of the text.',
  viewOnly:
    'What is shown can be copied or photographed; this page only leaves out the button for ' +
    'downloads.',
  copyLink: 'Copy link',
  linkCopied: 'Link copied.',
  linkNotCopied: 'Not copied: see the QR code',
  qrCode: 'QR code',
  qrLabel: 'QR code of this link',
  terminal: 'In a terminal',
  terminalHint: 'Downloads the file under its own name.',
  terminalHintFolder: 'Downloads everything as one ZIP.',
  terminalPassword: 'It asks for the password.',
  close: 'Close',

  kinds: {
    image: 'Picture',
    video: 'Film',
    audio: 'Sound',
    pdf: 'PDF',
    text: 'Text',
    archive: 'Archive',
    other: 'File',
    ofEnding: (ending: string) => `${ending} file`,
  },

  path: 'Folders above',
  search: 'Search in this folder',
  searchButton: 'Search',
  searchAll: 'Show all',
  hits: (text: string) => `Found for “${text}”`,
  noHits: (text: string) => `No name with “${text}” in this folder.`,
  searchIsCut:
    'There may be more: this folder is too large to be searched whole. Search in a folder ' +
    'below it.',
  noHitsShown: 'No name of this page has that. Search looks in the whole folder.',
  emptyFolder: 'Nothing is in this folder yet.',
  name: 'Name',
  size: 'Size',
  modified: 'Modified',
  sortedUp: 'smallest first',
  sortedDown: 'largest first',
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  folder: 'Folder',
  pick: (name: string) => `Select ${name}`,
  pickAll: 'Select all',
  downloadPicked: 'Download selected as ZIP',
  zipTooLarge: (files: string, max: string) =>
    `There is no ZIP of this folder: it has ${files} files, and one ZIP may have ${max}.`,
  zipRefused: 'No ZIP can be made of that. It may have too many files.',
  zipInstead: 'Open its folders, select some files, or download them one by one.',
  picked: (count: string) => `${count} selected`,
  pickedOf: (count: string, size: string) => `${count} selected, ${size}`,
  picksMax: (count: string) => `Select ${count} at most.`,
  nextPage: 'Next page',
  firstPage: 'First page',
  count: (count: string, isOne: boolean, size: string) => `${files(count, isOne)}, ${size}`,
  countOnPage: (count: string, isOne: boolean) => `${files(count, isOne)} on this page`,
  previous: 'Previous',
  next: 'Next',

  openUntil: 'Open until',
  downloadsLeft: (count: string, isOne: boolean) =>
    isOne ? '1 download left' : `${count} downloads left`,
  bytesLeft: (size: string) => `${size} left to download`,
  listCountsNothing: 'Looking at this list counts nothing; files that you open or download do.',

  password: {
    title: 'This link has a password',
    advice: 'Whoever sent you the link has it.',
    label: 'Password',
    button: 'Open',
    wrong: 'That is not the password. Look for capitals and blanks.',
    wait: (time: string) => `Too many wrong tries. The next one is taken in ${time}.`,
  },
  ended: 'Ended',
  begins: 'Begins',
  states: {
    expired: {
      title: 'This link has ended',
      advice:
        'Its owner gave it an end, and that has passed. Ask whoever sent you the link for a ' +
        'new one.',
    },
    revoked: {
      title: 'This link no longer works',
      advice: 'Its owner has ended it. Ask whoever sent you the link for a new one.',
    },
    'used-up': {
      title: 'This link is used up',
      advice:
        'Its owner set how much may be downloaded, and that much has been. Ask whoever sent ' +
        'you the link for a new one.',
    },
    'not-yet': {
      title: 'This link does not work yet',
      advice: 'It begins later. Come back then; the address stays the same.',
    },
    'not-for-you': {
      title: 'This link is not open from here',
      advice:
        'Its owner opened it for certain networks or countries, and yours is not one of them. ' +
        'Ask whoever sent you the link.',
    },
  },
};

export type ShareTexts = typeof ENGLISH;
