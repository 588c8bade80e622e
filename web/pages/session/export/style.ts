/** Style of the exported page: light or dark like the reader's system, black on white in print. */
export const EXPORT_STYLE = `
:root { color-scheme: light dark; --line: #d6dbde; --dim: #5a6870; --soft: #f4f6f7; --fail: #b3261e }
@media (prefers-color-scheme: dark) { :root { --line: #333c41; --dim: #9aa7ae; --soft: #1a2124; --fail: #ff8a80 } }
body { margin: 0; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
dl > div { min-width: 0 }
main { max-width: 1000px; margin: 0 auto; padding: 24px 16px; overflow-x: clip }
h1 { margin: 0 0 12px; font-size: 20px }
h2 { margin: 8px 0 4px; font-size: 12px; color: var(--dim) }
dl { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 0 0 12px }
dt { font-size: 12px; color: var(--dim) }
dd { margin: 0 }
.dim { color: var(--dim); font-size: 12px }
.fail { color: var(--fail) }
details { border-top: 1px solid var(--line) }
details > div { padding: 0 0 8px 16px }
summary { padding: 6px 0; cursor: pointer }
time, code, pre { font-family: ui-monospace, monospace; font-size: 12px }
code { color: var(--dim) }
pre { margin: 0; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); white-space: pre-wrap }
.redacted { padding: 0 4px; border: 1px dashed var(--dim); border-radius: 3px; font-size: 11px }
@media print {
  :root { color-scheme: light; --line: #bbb; --dim: #444; --soft: #fff; --fail: #900 }
  details::details-content { content-visibility: visible; display: block; height: auto }
  summary { break-after: avoid }
}
`;
