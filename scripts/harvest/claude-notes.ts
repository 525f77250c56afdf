import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { type Observation, observe } from '../../src/drift/derive.ts'
import type { ReleaseNotes } from '../../src/drift/merge.ts'
import { mergeAll } from '../../src/drift/shape.ts'
import type { Finding } from '../../src/probe/rehearsal-checks.ts'

/** What a captured release wrote, all rounds together, and how the replay of the trim went. */
export const notesOfCapture = async (version: string, folder: string): Promise<ReleaseNotes> => {
  const { findings } = JSON.parse(await readFile(join(folder, 'rehearsal.json'), 'utf8')) as {
    readonly findings: readonly Finding[]
  }
  const rounds = await Promise.all(['round-1', 'round-2'].map((round) => observed(join(folder, round))))
  return {
    version,
    faults: findings.filter(({ ok }) => !ok).map(({ id, found }) => `${id}: ${found}`),
    ...rounds.reduce(together),
  }
}

const together = (a: Observation, b: Observation): Observation => ({
  session: mergeAll(a.session, b.session),
  stream: mergeAll(a.stream, b.stream),
  files: [...new Set([...a.files, ...b.files])].sort(),
})

const observed = async (folder: string): Promise<Observation> => {
  const projects = join(folder, 'projects')
  const entries = await readdir(projects, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.sort().map(async (path) => ({
      path: relative(projects, path).replaceAll(sep, '/'),
      bytes: await readFile(path),
    })),
  )
  const stream = await readFile(join(folder, 'stream.jsonl'), 'utf8')
  return observe({ files, streams: stream.split('\n') })
}
