import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { binaryName, compile, targets } from '../../build.ts'
import type { Release } from './release.ts'

/** Compiles every target; of the first one a second build must have the same bytes. */
export const buildAll = async ({ binaries }: Release): Promise<void> => {
  await mkdir(binaries, { recursive: true })
  for (const target of targets) await compile(target, join(binaries, binaryName(target)))
  const [first] = targets
  // A binary holds its own name.
  const again = join(binaries, 'again')
  await mkdir(again)
  await compile(first, join(again, binaryName(first)))
  const [one, other] = await Promise.all(
    [binaries, again].map((folder) => readFile(join(folder, binaryName(first)))),
  )
  await rm(again, { recursive: true })
  if (other === undefined || !one?.equals(other)) throw new Error(`two builds of ${first} differ`)
}
