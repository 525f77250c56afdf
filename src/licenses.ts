import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A package whose code is a part of yoke. */
export type BundledPackage = {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** The text that its licence asks to be passed on. */
  readonly text: string
}

/**
 * The packages that yoke stands on, and those that they stand on, by name. The binary has no `node_modules/`: `build.ts` puts
 * what this finds in place of this module.
 */
export const bundledPackages = (): readonly BundledPackage[] => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const found = new Map<string, BundledPackage>()
  const visit = (folder: string): void => {
    for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
      const place = findPackage(name, folder)
      if (found.has(place)) continue
      const { version, license } = manifestOf(place)
      found.set(place, { name, version, license, text: licenseText(place) })
      visit(place)
    }
  }
  visit(root)
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

type Manifest = {
  readonly version: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** As Node resolves it: the nearest `node_modules/` on the way up. */
const findPackage = (name: string, from: string): string => {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return place
    if (folder === dirname(folder)) throw new Error(`${name} is not installed: run npm ci`)
  }
}

const licenseText = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name))
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
}
