/** Every colour stands against its ground with 4.5 to 1 (text) or 3 to 1 (marks), by light and by dark. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --text: #1a1d21; --quiet: #555e68; --rule: #d5dae0;
  --c1: #0b62c4; --c2: #b05200; --c3: #0f7b4f; --c4: #8a3fb0; --c5: #5f6a00; --c6: #6b7480; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --raised: #1e2227; --text: #e8eaed; --quiet: #a6afb9; --rule: #39414a;
    --c1: #6cb0ff; --c2: #ffab5e; --c3: #5fd6a2; --c4: #d19cf0; --c5: #c9d25a; --c6: #98a3af; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p, ul { margin: .25rem 0; } .quiet, figcaption, th { color: var(--quiet); }
.result { display: inline-block; padding: 0 .5rem; border-radius: .25rem; border: 2px solid currentColor; font-weight: 600; }
.good { color: var(--c3); } .poor { color: var(--c2); } .bad { color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.facts div { background: var(--raised); border-radius: .5rem; padding: .5rem .75rem; }
.facts dt { color: var(--quiet); font-size: .85rem; } .facts dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
figure { margin: 1rem 0 2rem; } figure svg { width: 100%; min-width: 40rem; height: auto; display: block; }
figcaption ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
figure .key { display: inline-block; width: auto; min-width: 0; height: .8em; vertical-align: baseline; }
svg text { fill: var(--quiet); font: 13px system-ui, sans-serif; }
.grid line { stroke: var(--rule); } .line { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 5 4; }
circle.dashed { stroke-dasharray: none; } .fork { stroke: var(--c4); stroke-dasharray: 2 3; stroke-width: 1.5; }
${[1, 2, 3, 4, 5, 6].map((n) => `.line.c${n} { stroke: var(--c${n}); } circle.c${n}, .fill.c${n}, .bar.c${n} rect { fill: var(--c${n}); }`).join('\n')}
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; white-space: nowrap; overflow-wrap: normal; }
th { font-weight: 600; } .number { text-align: right; }
tbody tr:has(+ tr .details) td { border-bottom: 0; padding-bottom: 0; }
td.details { white-space: normal; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--c1); } summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--c1); outline-offset: 2px; }
.details dl { margin: .25rem 0 .5rem; display: grid; grid-template-columns: 8rem 1fr; gap: .1rem .75rem; } .details dt { color: var(--quiet); grid-column: 1; } .details dd { margin: 0; grid-column: 2; }
pre { white-space: pre-wrap; background: var(--raised); padding: .5rem; border-radius: .25rem; margin: .25rem 0; font-size: .85em; }
@media (max-width: 45rem) { svg text { font-size: 17px; } }
@media print {
  @page { margin: 15mm; }
  :root { --ground: #fff; --raised: #f5f6f8; --text: #000; --quiet: #444; --rule: #bbb;
    --c1: #0b62c4; --c2: #b05200; --c3: #0f7b4f; --c4: #8a3fb0; --c5: #5f6a00; --c6: #6b7480; --bad: #b3261e; }
  body { max-width: none; padding: 0; font-size: 10pt; } figure, tbody { break-inside: avoid; } h2 { break-after: avoid; } svg text { font-size: 13px; } .scroll { overflow: visible; } figure svg { min-width: 0; }
  th, td { white-space: normal; padding: .15rem .3rem; } table { font-size: 8pt; } thead { display: table-header-group; }
  details::details-content { content-visibility: visible; block-size: auto; } summary { display: none; }
  * { print-color-adjust: exact; }
}
`
