import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

it('comes to the right end through random faults, and kills of yoke', { timeout: 240_000 }, async () => {
  const bun = join(root, 'node_modules', '.bin', 'bun')
  const { stdout } = await promisify(execFile)(
    bun,
    ['scripts/soak.ts', '--iterations', '30', '--seed', '2'],
    { cwd: root },
  )
  expect(stdout).toMatch(/^right: exit 0, \d\d iterations in \d+ lives/)
})
