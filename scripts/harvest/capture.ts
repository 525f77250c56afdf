import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureRelease, releaseFolder } from '../../src/probe/pinned-cli.ts'
import { type FullRehearsal, rehearseFully } from '../../src/probe/rehearsal-full.ts'
import { rehearsalPlace } from '../../src/probe/rehearsal-place.ts'

/** Two rounds: what a release writes may depend on how fast the model answers. */
const delays = [0, 40] as const

/** Plays the scenarios with a release, and stores all that it wrote under `folder`, a subfolder a round. */
export const capture = async (version: string, releases: string, folder: string): Promise<void> => {
  const program = await ensureRelease('claude', version, releases)
  const rounds: FullRehearsal[] = []
  for (const delayMs of delays) {
    const place = await rehearsalPlace()
    try {
      rounds.push(await rehearseFully({ program, place, base: process.env, delayMs }))
    } finally {
      await place.remove()
    }
  }
  await rm(folder, { recursive: true, force: true })
  for (const [index, round] of rounds.entries()) await store(join(folder, `round-${index + 1}`), round)
}

const store = async (folder: string, { files, streams, findings, version }: FullRehearsal) => {
  for (const { path, bytes } of files) {
    const target = join(folder, 'projects', path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes)
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'stream.jsonl'), streams.map((line) => `${line}\n`).join(''))
  await writeFile(join(folder, 'rehearsal.json'), `${JSON.stringify({ version, findings }, undefined, 2)}\n`)
}

/** Old releases are some 50 MB each, new ones 400 MB. */
export const forget = (version: string, releases: string) =>
  rm(releaseFolder('claude', version, releases), { recursive: true, force: true })
