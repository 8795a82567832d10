// Starts the console: reads how it should look, loads its texts, then shows it.
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startPreferences } from './app/preferences.ts';
import { startRouter } from './app/router.ts';
import { loadTexts } from './i18n/i18n.ts';
import './styles/index.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no place for the console');

const { language } = startPreferences();
startRouter();
await loadTexts(language);
render(<App />, root);
