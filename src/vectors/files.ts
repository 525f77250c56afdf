import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files of `vectors/` by their path in it, with `/`. The binary has no such folder: `build.ts` puts their texts in place of this module. */
export const vectorFiles = (): Map<string, string> => {
  const folder = fileURLToPath(new URL('../../vectors/', import.meta.url))
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8')]),
  )
}
