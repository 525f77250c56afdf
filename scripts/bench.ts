// What yoke costs, as ratios measured by turns in one run: `npx bun scripts/bench.ts cost|start|loop|idle|trim [--json FILE]`, after
// `npm run build`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'zx'
import { benchCost } from './bench/cost.ts'
import { benchIdle } from './bench/idle.ts'
import { benchLoop } from './bench/loop.ts'
import type { Bench } from './bench/measure.ts'
import { benchStart } from './bench/start.ts'
import { benchTrim } from './bench/trim.ts'

const benches: Readonly<Record<string, Bench>> = {
  cost: benchCost,
  start: benchStart,
  loop: benchLoop,
  idle: benchIdle,
  trim: benchTrim,
}

const bench = benches[argv._[0] ?? '']
if (bench === undefined) throw new Error(`name one of: ${Object.keys(benches).join(', ')}`)
const folder = mkdtempSync(join(tmpdir(), 'yoke-bench-'))
try {
  const figures = await bench(folder)
  if (typeof argv['json'] === 'string') writeFileSync(argv['json'], `${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
