import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readProgress, stepsBehind, writeProgress } from '../../scripts/release/progress.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const root = join(import.meta.dirname, '..', '..')
const steps = [
  { name: 'test' },
  { name: 'build' },
  { name: 'pack', writesUrl: true },
  { name: 'npm' },
] as const
const all = steps.map(({ name }) => name)

it.each<[string, Parameters<typeof stepsBehind>[1], readonly string[]]>([
  ['nothing was begun', undefined, []],
  ['another commit was released', { commit: 'b', done: all }, []],
  ['it was stopped', { commit: 'a', done: ['test', 'build'] }, ['test', 'build']],
  ['all is done', { commit: 'a', done: all }, all],
  ['the address is another', { commit: 'a', url: 'https://b.example', done: all }, ['test', 'build']],
])('takes up a release where it ended: %s', (_what, past, behind) => {
  expect(stepsBehind(steps, past, { commit: 'a' })).toEqual(behind)
})

it('begins a release anew whose progress cannot be read', async () => {
  const folder = await temporaryFolder()
  const progress = { commit: 'a', url: 'https://a.example', done: ['test'] }
  expect(await readProgress(folder)).toBe(undefined)
  await writeProgress(folder, progress)
  expect(await readProgress(folder)).toEqual(progress)
  writeFileSync(join(folder, '.done.json'), '{"comm')
  expect(await readProgress(folder)).toBe(undefined)
})

it.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--url'], "Option '--url <value>' argument missing"],
  [['--url', "http://a.example/'$(id)"], "--url http://a.example/'$(id) is no address"],
  [['--from', 'nowhere'], '--from nowhere: name one of test, build, '],
  [['--publish', 'tag,all'], '--publish all: name any of tag, upload, npm'],
])('says in one sentence what is wrong with %j', async (args, sentence) => {
  const bun = join(root, 'node_modules', '.bin', 'bun')
  const script = join(root, 'scripts', 'release.ts')
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(bun, [script, ...args], { cwd: root }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  )
  expect(stderr.split('\n')).toEqual([expect.stringContaining(`release: ${sentence}`), 'See --help.', ''])
  expect(code).toBe(2)
})
