// A named import from JSON works in Bun only; the default export is what the standard has.
import manifest from '../package.json' with { type: 'json' }

export const { name, version } = manifest

/** What a binary was built from. */
export type Build = {
  /** The full hash; null where there was no git. */
  readonly commit: string | null
  /** Of the commit, ISO 8601: the same commit gives the same bytes. */
  readonly date: string | null
  /** Whether files differed from the commit. */
  readonly modified: boolean
  /** `linux-x64-musl` and the like. */
  readonly target: string
}

declare const YOKE_BUILD: Build

/** Put in by `build.ts`; undefined when yoke runs from its sources. */
export const build: Build | undefined = typeof YOKE_BUILD === 'undefined' ? undefined : YOKE_BUILD

export const versionLine = `${name} ${version}`
