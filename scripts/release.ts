// Makes a release in dist/release/VERSION: binaries, archives, npm packages, checksums, bill of materials, notes. See `usage`.
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { chalk, ProcessOutput } from 'zx'
import { buildAll } from './release/build.ts'
import { requireReleasable, test } from './release/check.ts'
import { writeNotes } from './release/notes.ts'
import { packNpm } from './release/npm.ts'
import { pack } from './release/pack.ts'
import { readProgress, stepsBehind, writeProgress } from './release/progress.ts'
import { publish, publishable } from './release/publish.ts'
import { type Release, thisRelease } from './release/release.ts'
import { writeSbom } from './release/sbom.ts'
import { smokeTest } from './release/smoke.ts'
import { requireSums, writeSums } from './release/sums.ts'

type Step = {
  readonly name: string
  readonly what: string
  readonly run: (release: Release) => Promise<void>
  /** What it writes tells where people will find the release. */
  readonly writesUrl?: true
}

const steps: readonly Step[] = [
  { name: 'test', what: 'lint, all tests, the vectors', run: test },
  { name: 'build', what: 'every target, each twice: the bytes must be equal', run: buildAll },
  { name: 'smoke', what: 'start every binary that can run here', run: smokeTest },
  { name: 'pack', what: 'an archive a target, and the install scripts', run: pack, writesUrl: true },
  { name: 'npm', what: 'the npm packages, checked by publint and are-the-types-wrong', run: packNpm },
  { name: 'sbom', what: 'a bill of materials (CycloneDX)', run: writeSbom },
  { name: 'notes', what: 'the release notes, from the CHANGELOG', run: writeNotes, writesUrl: true },
  { name: 'sums', what: 'SHA256SUMS over all of it', run: writeSums, writesUrl: true },
]

const usage = `Usage: npx bun scripts/release.ts [options]

Each time the tree, the version, the CHANGELOG and the licences are looked at first. A release that was stopped goes on with
the step that failed; the same commit gives the same bytes.

Options:
  --url URL         Where people will find the files: the default of the install scripts, and in the notes
  --from STEP       Take this step and those behind it again: ${steps.map(({ name }) => name).join(', ')}
  --dry-run         Show the steps and what stands in the way; make nothing
  --publish NAMES   Publish what was made, any of ${Object.keys(publishable).join(',')}; nothing without it
  --help            Show this

Example:
  npx bun scripts/release.ts --url https://releases.example/yoke/0.1.0
`

const exitCode = { done: 0, failed: 1, usage: 2 } as const

class UsageError extends Error {}

const readOptions = () => {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string' },
        from: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        publish: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    return { ...values, publish: values.publish?.split(',') ?? [] }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

type Options = ReturnType<typeof readOptions>

const requireUsable = ({ url, from, publish: names }: Options): void => {
  // It is written into a line of each shell.
  if (url !== undefined && !/^https?:\/\/[\w.:/~%@+-]+$/.test(url))
    throw new UsageError(`--url ${url} is no address that begins with https:// or http://`)
  if (from !== undefined && !steps.some(({ name }) => name === from))
    throw new UsageError(`--from ${from}: name one of ${steps.map(({ name }) => name).join(', ')}`)
  for (const name of names)
    if (!(name in publishable))
      throw new UsageError(`--publish ${name}: name any of ${Object.keys(publishable).join(', ')}`)
}

const makeRelease = async (options: Options): Promise<void> => {
  requireUsable(options)
  const release = await thisRelease(options.url)
  const { folder, commit, version } = release
  const url = release.url === undefined ? {} : { url: release.url }
  const behind = stepsBehind(steps, await readProgress(folder), release)
  const from = options.from ?? steps[behind.length]?.name
  const first = from === undefined ? steps.length : steps.findIndex(({ name }) => name === from)
  const missing = steps[behind.length]
  if (missing !== undefined && first > behind.length)
    throw new UsageError(`--from ${from}: the step ${missing.name} before it is not done for this commit`)

  console.log(chalk.bold(`yoke ${version}, commit ${commit.slice(0, 12)}, into ${folder}`))
  if (options['dry-run']) {
    for (const [index, { name, what }] of steps.entries())
      console.log(`${index < first ? 'done ' : 'would'} ${name}: ${what}`)
    for (const name of options.publish) console.log(`would publish ${name}`)
  }
  await requireReleasable(release)
  if (options['dry-run']) return

  if (first === 0 && existsSync(folder)) await rm(folder, { recursive: true })
  await mkdir(folder, { recursive: true })
  const done = steps.slice(0, first).map(({ name }) => name)
  await writeProgress(folder, { commit, ...url, done })
  for (const { name, what, run } of steps.slice(first)) {
    console.log(chalk.bold(`${name}: ${what}`))
    await run(release).catch((error) => {
      throw new Error(`${name}: ${sentenceOf(error)}; mend it and start the release again`, { cause: error })
    })
    done.push(name)
    await writeProgress(folder, { commit, ...url, done })
  }
  if (options.publish.length > 0) await requireSums(release)
  for (const name of Object.keys(publishable))
    if (options.publish.includes(name))
      await publish(name, release).catch((error) => {
        throw new Error(
          `${name}: ${sentenceOf(error)}; what is out stays out, --publish ${name} goes on with the rest`,
        )
      })
}

/** What went wrong, in a sentence: a program that failed is told by the last line that it wrote. */
const sentenceOf = (error: unknown): string => {
  if (!(error instanceof ProcessOutput)) return error instanceof Error ? error.message : String(error)
  const last = error.stderr.trim().split('\n').at(-1) || error.stdout.trim().split('\n').at(-1)
  const ended = error.signal === null ? `exit code ${error.exitCode}` : error.signal
  return `a program failed (${ended})${last ? `: ${last}` : ''}`
}

try {
  const options = readOptions()
  if (options.help) console.log(usage)
  else await makeRelease(options)
} catch (error) {
  console.error(`release: ${sentenceOf(error)}`)
  if (error instanceof UsageError) console.error('See --help.')
  process.exitCode = error instanceof UsageError ? exitCode.usage : exitCode.failed
}
