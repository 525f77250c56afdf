import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { observe } from '../../src/drift/opencode/observe.ts'
import { rehearseOpenCode } from '../../src/probe/opencode-rehearsal.ts'
import { opencodeScenario } from '../../src/probe/opencode-script.ts'
import { ensureRelease } from '../../src/probe/pinned-cli.ts'
import type { Finding } from '../../src/probe/rehearsal-checks.ts'
import { rehearsalPlace } from '../../src/probe/rehearsal-place.ts'
import { type Harvester, throwIfCutOff } from './harvester.ts'

type Capture = {
  readonly findings: readonly Finding[]
  readonly streams: readonly string[]
  readonly exported: unknown
  readonly files: readonly string[]
}

const capture: Harvester['capture'] = async (version, releases, folder) => {
  const program = await ensureRelease('opencode', version, releases)
  const place = await rehearsalPlace()
  try {
    const { findings, streams, exported, store } = await rehearseOpenCode({
      ...{ program, place, scenario: opencodeScenario('full'), base: process.env },
    })
    throwIfCutOff(findings)
    // Some old releases fetch parts of themselves at their start, and may not find them.
    if (streams.length === 0) throw new Error(`${findings.at(-1)?.found} It came to no answer.`)
    const files = store === undefined ? [] : [patternOf(relative(place.home, store))]
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, lastFile), JSON.stringify({ findings, streams, exported, files }))
  } finally {
    await place.remove()
  }
}

const patternOf = (path: string): string =>
  path
    .replaceAll(sep, '/')
    .replace(/session\/[^/]+/, 'session/<project>')
    .replace(/ses_\w+/, '<id>')

const lastFile = 'capture.json'

/** OpenCode stores no file a session since 1.2: what is described is the export, which the trim works on. */
export const opencode: Harvester = {
  agent: 'opencode',
  package: 'opencode-ai',
  lastFile,
  capture,
  notes: async (version, folder) => {
    const { findings, streams, exported, files }: Capture = JSON.parse(
      await readFile(join(folder, lastFile), 'utf8'),
    )
    return {
      version,
      faults: findings.filter(({ ok }) => !ok).map(({ id, found }) => `${id}: ${found}`),
      ...observe({ exports: [exported], streams, files }),
    }
  },
}
