import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { binaryName, compile, targets } from '../../build.ts'
import type { Release } from './release.ts'

/** Compiles every target twice: the bytes must be equal. */
export const buildAll = async ({ binaries, folder }: Release): Promise<void> => {
  // A binary holds its own name.
  const again = join(folder, 'again')
  for (const place of [binaries, again]) {
    await rm(place, { recursive: true, force: true })
    await mkdir(place)
  }
  for (const target of targets) {
    const files = [binaries, again].map((place) => join(place, binaryName(target)))
    for (const file of files) await compile(target, file)
    const [one, other] = await Promise.all(files.map((file) => readFile(file)))
    if (other === undefined || !one?.equals(other)) throw new Error(`two builds of ${target} differ`)
  }
  await rm(again, { recursive: true })
}
