/**
 * The style sheet of the API's page. The page's policy names its digest, so it
 * stands in the page byte for byte.
 */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4048); \
--soft: light-dark(#5a6370, #a2abb7) }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; \
grid-template-columns: 17rem minmax(0, 60rem) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; \
border-right: 1px solid var(--line) }
nav ul { list-style: none; margin: 0 0 .8rem; padding: 0; font-size: 13px }
main { padding: 1rem 2rem 4rem }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0 }
summary { padding: .4rem .8rem; cursor: pointer }
details > div { padding: 0 .8rem .6rem; border-top: 1px solid var(--line) }
h2 { margin: 2.5rem 0 .5rem }
h4 { margin: .8rem 0 .2rem }
main ul { margin: 0; padding-left: 1.2rem }
.soft { color: var(--soft) }
.method { display: inline-block; min-width: 4.2rem; font-weight: 600 }
dt { margin-top: .5rem; scroll-margin-top: 1rem }
dd { margin: 0 }
:target { outline: 2px solid Highlight; outline-offset: 3px }
@media (max-width: 50rem) {
  body { display: block }
  nav { position: static; height: auto; border: 0 }
}
`;
