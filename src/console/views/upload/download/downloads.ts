// The ways out of a folder. How they are gone (take-out.ts) is loaded when one is taken.
import { withPart } from '../../../app/lazy.tsx';
import type { Selection } from '../../browse/selection.ts';
import type { LocalChoice } from './folder-downloads.ts';

const takeOut = () => import('./take-out.ts');

/** Whether this browser can write into a folder that somebody chooses. */
export const canSaveToFolder = 'showDirectoryPicker' in globalThis;

/** Lets the browser save what is selected: an object as it is, more as one ZIP. */
export const download = (selection: Selection): void =>
  withPart(takeOut, (part) => part.download(selection));

/**
 * Asks for a folder of this computer and writes the selection there with its tree.
 * What is there already is skipped where it has the same size, or replaced.
 */
export const downloadToFolder = (selection: Selection, choice: LocalChoice = 'skip'): void =>
  withPart(takeOut, (part) => part.downloadToFolder(selection, choice));
