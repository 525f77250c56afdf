import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { parseScenario } from '../../src/probe/scenario.ts'
import { startModelServer } from '../../src/probe/server.ts'
import { type Bench, claudeEnvironment, median, spread, timeOf, yoke } from './measure.ts'

/** Start-up of the binary against a compiled hello world, by turns. */
export const benchStart: Bench = async (folder, { repeats: rounds = 30 }) => {
  const source = join(folder, 'hello.ts')
  const hello = join(folder, 'hello')
  writeFileSync(source, "console.log('hello')\n")
  await $({ quiet: true })`${process.execPath} build --compile --minify ${source} --outfile ${hello}`
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'task.md'), '---\njudge: off\nchecks: "true"\n---\nWork.\n')
  const said = [[{ blocks: [{ text: 'Done.' }] }]]
  const server = await startModelServer({
    scenario: parseScenario({
      name: 'bench start',
      roles: [{ name: 'worker', match: '\\.loop/notes\\.md' }],
      script: { worker: said },
    }),
  })
  const env = await claudeEnvironment(folder, server.url)
  // There has to be a run to show the status of.
  await $({ cwd: project, env, quiet: true })`${yoke} brute task.md --trust`
  await server.close()
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    'hello world': [hello],
    'yoke --version': [yoke, '--version'],
    'yoke --help': [yoke, '--help'],
    'yoke status': [yoke, 'status'],
    'yoke doctor': [yoke, 'doctor'],
  }
  const times = Object.entries(programs).map(([name, command]) => ({ name, command, ms: [] as number[] }))
  for (let round = 0; round < rounds; round++)
    for (const { command, ms } of times) ms.push(await timeOf({ cwd: project, env }, ...command))
  const base = median(times[0]?.ms ?? [])
  for (const { name, ms } of times)
    console.log(
      `${name.padEnd(16)} ${spread(ms).padStart(28)}  ${(median(ms) / base).toFixed(2)} x hello world`,
    )
  return {
    assumptions: [
      'The programs run by turns; the page cache is warm.',
      '`doctor` finds one agent, the pinned Claude Code.',
    ],
    figures: times.map(({ name, ms }) => ({ name, ms, ofHello: median(ms) / base })),
  }
}
