import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureRelease } from '../../src/probe/pinned-cli.ts'
import { type FullRehearsal, rehearseAgain, rehearseFully } from '../../src/probe/rehearsal-full.ts'
import { type RehearsalPlace, rehearsalPlace } from '../../src/probe/rehearsal-place.ts'
import { throwIfCutOff } from './harvester.ts'

/** Plays the scenarios with a release, and stores all that it wrote under `folder`, a subfolder a round. */
export const capture = async (version: string, releases: string, folder: string): Promise<void> => {
  const program = await ensureRelease('claude', version, releases)
  const first = await inPlace((place) => rehearseFully({ program, place, base: process.env, delayMs: 0 }))
  const again = await inPlace((place) =>
    rehearseAgain({ program, place, base: process.env, delayMs: 40 }, first.offer),
  )
  throwIfCutOff(first.findings)
  await rm(folder, { recursive: true, force: true })
  await store(join(folder, 'round-2'), again)
  await store(join(folder, 'round-1'), first)
  const { findings } = first
  await writeFile(join(folder, 'rehearsal.json'), `${JSON.stringify({ version, findings }, undefined, 2)}\n`)
}

const inPlace = async <T>(work: (place: RehearsalPlace) => Promise<T>): Promise<T> => {
  const place = await rehearsalPlace()
  try {
    return await work(place)
  } finally {
    await place.remove()
  }
}

const store = async (folder: string, { files, streams }: Pick<FullRehearsal, 'files' | 'streams'>) => {
  await mkdir(folder, { recursive: true })
  for (const { path, bytes } of files) {
    const target = join(folder, 'projects', path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes)
  }
  await writeFile(join(folder, 'stream.jsonl'), streams.map((line) => `${line}\n`).join(''))
}
