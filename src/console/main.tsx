// Starts the console: reads how it should look, loads its texts, then shows it.
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startPreferences } from './app/preferences.ts';
import { path, startRouter } from './app/router.ts';
import { readSession } from './app/session.ts';
import { viewOf } from './app/views.ts';
import { loadTexts } from './i18n/i18n.ts';
import './styles/index.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no place for the console');

const { language } = startPreferences();
startRouter();
// Who is signed in and the code of the view are asked for beside the texts, not after
// them. What fails is said by whoever needs it.
void readSession();
viewOf(path.value)
  ?.load()
  .then(({ begin }) => begin?.())
  .catch(() => {});
await loadTexts(language);
render(<App />, root);
