// Starts the console: reads how it should look, loads its texts, then shows it.
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startPreferences } from './app/preferences.ts';
import { startRouter } from './app/router.ts';
import { loadAllTexts, loadTexts } from './i18n/i18n.ts';
import './styles/index.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no place for the console');

/** How long after the first view the rest of the texts is fetched, milliseconds. */
const LATER_MS = 2000;

const { language } = startPreferences();
startRouter();
await loadTexts(language);
render(<App />, root);
// What later views say is fetched while nothing else is.
setTimeout(() => void loadAllTexts().catch(() => {}), LATER_MS);
