// Draws the picture of the live view in the README: `npx bun scripts/picture.ts`, after `npm run build`. A real demo runs on a terminal of
// its own (util-linux `script`); what a terminal emulator shows in its third iteration becomes .github/live-view.svg.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import xterm from '@xterm/headless'
import { ensureRelease, pinned } from '../src/probe/pinned-cli.ts'
import { escapeHtml } from '../src/report/html.ts'

const root = join(import.meta.dirname, '..')
const columns = 96
const rows = 27

const claude = await ensureRelease('claude', pinned.claude, join(root, '.cache'))
const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
const { CI: _ci, NO_COLOR: _noColor, ...inherited } = process.env
const demo = spawn(
  'script',
  ['-qfec', `stty cols ${columns} rows ${rows}; exec ${join(root, 'dist', 'yoke')} demo`, '/dev/null'],
  {
    env: {
      ...inherited,
      TERM: 'xterm-256color',
      PATH: `${dirname(claude)}:${process.env['PATH']}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)

const cell = terminal.buffer.active.getNullCell()
type Run = { readonly text: string; readonly className: string; readonly column: number }

/** A line in parts of one look each. */
const partsOf = (row: number): readonly Run[] => {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
  const parts: Run[] = []
  for (let column = 0; column < columns; column++) {
    const at = line?.getCell(column, cell)
    const text = at?.getChars() || ' '
    const className = [
      at?.isFgPalette() ? `c${at.getFgColor()}` : '',
      at?.isBold() ? 'b' : '',
      at?.isDim() ? 'd' : '',
    ]
      .filter((name) => name !== '')
      .join(' ')
    const last = parts.at(-1)
    if (last?.className === className) parts[parts.length - 1] = { ...last, text: last.text + text }
    else parts.push({ text, className, column })
  }
  return parts
}

const wide = 8.4
const tall = 18
const edge = 16

const picture = (): string => {
  const lines = Array.from({ length: rows }, (_, row) =>
    partsOf(row)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, className, column }) => {
        const shown = text.trimEnd()
        const x = Math.round((edge + column * wide) * 10) / 10
        const length = Math.round(shown.length * wide * 10) / 10
        return `<text x="${x}" y="${edge + row * tall + 13}" textLength="${length}" class="${className}">${escapeHtml(shown)}</text>`
      })
      .join(''),
  )
  const width = Math.round(2 * edge + columns * wide)
  const height = 2 * edge + rows * tall
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: the lines of a run, and below them the live block">
<style>text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d8dee6; white-space: pre } .b { font-weight: 700 } .d { fill: #8b96a3 } .c1 { fill: #ff8a80 } .c2 { fill: #5fd6a2 } .c3 { fill: #f0c674 } .c6 { fill: #6cc7dd }</style>
<rect width="${width}" height="${height}" rx="8" fill="#14171a"/>
${lines.filter((line) => line !== '').join('\n')}
</svg>
`
}

const screen = (): string =>
  Array.from(
    { length: rows },
    (_, row) =>
      terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)?.translateToString(true) ?? '',
  ).join('\n')

let drawn: string | undefined
demo.stdout.on('data', (chunk: Buffer) =>
  terminal.write(chunk, () => {
    // The judge has objected, and the worker is at it.
    if (drawn === undefined && /Iteration 3[\s\S]*Bash grep[\s\S]*▸ worker .* Bash/.test(screen()))
      drawn = picture()
  }),
)
const [code] = await once(demo, 'close')
if (code !== 0 || drawn === undefined)
  throw new Error(`The demo ended with exit code ${code}; the moment ${drawn ? 'came' : 'never came'}.`)
writeFileSync(join(root, '.github', 'live-view.svg'), drawn)
console.log('.github/live-view.svg')
