import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke } from '../helpers/yoke.ts'

const claude = process.env['YOKE_TEST_CLAUDE'] ?? ''

const place = async (task: string) => {
  const project = await temporaryFolder()
  writeFileSync(join(project, 'task.md'), task)
  const env = { HOME: project, PATH: `${dirname(claude)}:${process.env['PATH']}`, ANTHROPIC_API_KEY: 'k' }
  return { cwd: project, env }
}

it('shows what a run would do, and does nothing', async () => {
  const where = await place("---\nchecks: touch ran\nmax-cost-usd: 2\n---\nIt's to be done.\n")
  const { code, stdout } = await yoke(['brute', 'task.md', '--dry-run', '--model', 'opus'], where)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^checks +\["touch ran"\] +\(front matter\)$/m)
  expect(stdout).toMatch(/^model +opus +\(flag\)$/m)
  expect(stdout).toMatch(/^judge-context +project +\(default\)$/m)
  expect(stdout).toMatch(/worker would be started:\n\n {2}\S*claude --print .*--max-budget-usd 2/)
  expect(stdout).toMatch(
    /judge would be started:\n\n {2}\S*claude --print .*--no-session-persistence .*'\{"type":/,
  )
  expect(stdout).toContain("  | It's to be done.")
  expect(readdirSync(where.cwd)).toEqual(['task.md'])
})

it('shows the same to a program, for a saga with the scoper first', async () => {
  const where = await place('---\njudge: off\n---\nA goal.\n')
  const { stdout } = await yoke(['saga', 'task.md', '--dry-run', '--json'], where)
  const { starts, origin } = JSON.parse(stdout)
  expect(starts.map(({ role }: { role: string }) => role)).toEqual(['scoper', 'worker'])
  expect(starts[0].prompt).toContain('A goal.')
  expect(origin.judge).toBe('front matter')
})

it('refuses what a run would refuse', async () => {
  const where = await place('---\nmax-iteration: 2\n---\nDo it.\n')
  expect(await yoke(['brute', 'task.md', '--dry-run'], where)).toMatchObject({ code: 2, stdout: '' })
})

it('asks for the agent of the judge before anything is written', async () => {
  const { cwd, env } = await place('---\njudge-agent: opencode\n---\nDo it.\n')
  const where = { cwd, env: { ...env, PATH: dirname(claude) } }
  for (const more of [['--dry-run'], []]) {
    const { code, stderr } = await yoke(['brute', 'task.md', ...more], where)
    expect(code).toBe(1)
    expect(stderr).toContain('The agent `opencode` is not on PATH.')
  }
  expect(readdirSync(cwd)).toEqual(['task.md'])
  expect((await yoke(['brute', 'task.md', '--dry-run', '--judge', 'off'], where)).code).toBe(0)
})
