// What yoke costs, as ratios measured by turns in one run: `npx bun scripts/bench.ts start|loop|trim`, after `npm run build`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'zx'
import { benchCost } from './bench/cost.ts'
import { benchLoop } from './bench/loop.ts'
import type { Bench } from './bench/measure.ts'
import { benchStart } from './bench/start.ts'
import { benchTrim } from './bench/trim.ts'

const benches: Readonly<Record<string, Bench>> = {
  cost: benchCost,
  start: benchStart,
  loop: benchLoop,
  trim: benchTrim,
}

const bench = benches[argv._[0] ?? '']
if (bench === undefined) throw new Error(`name one of: ${Object.keys(benches).join(', ')}`)
const folder = mkdtempSync(join(tmpdir(), 'yoke-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
