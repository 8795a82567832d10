// Runs before the first paint: the chosen theme and language, as preferences.ts keeps them.
try {
  const { theme, language } = JSON.parse(localStorage.getItem('quayside-look') ?? '{}');
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  root.lang = language ?? (/^zh\b/i.test(navigator.language) ? 'zh' : 'en');
} catch {
  // Storage may be closed to the page: it then follows the system.
}
