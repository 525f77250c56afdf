import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import picomatch from 'picomatch'

export type KeepMatch = {
  readonly entry: string
  /** The entry names the file itself: pictures are kept only then. */
  readonly exact: boolean
}

export type KeepMatcher = (path: string) => readonly KeepMatch[]

/** The path with every symbolic link resolved; of a file that is gone, as far as it goes. */
export type RealPath = (path: string) => string

/** File systems there take `README.md` and `readme.md` for one file, as a rule. */
const ignoresCaseHere = sep === '\\' || process.platform === 'darwin'

/**
 * Which entries name a file. An entry is a path or a glob, absolute or relative to `cwd`; a folder stands for all that is in
 * it. Paths are compared in NFC, as given and with their links resolved, and on macOS and Windows in any case; an entry that is
 * the very name of a file counts even where it looks like a glob (`app/[id]/page.tsx`).
 */
export const keepMatcher = (
  entries: readonly string[],
  cwd: string,
  realPath: RealPath,
  ignoresCase: boolean = ignoresCaseHere,
): KeepMatcher => {
  const plain = (path: string): string => {
    const name = (sep === '\\' ? path.replaceAll('\\', '/') : path).normalize('NFC')
    return ignoresCase ? name.toLowerCase() : name
  }
  const place: Place = { cwd, realPath, plain }
  const named = entries.filter((entry) => entry.trim() !== '')
  const tests = named.map((entry) => ({ entry, test: entryTest(entry, place) }))
  const matchesOf = (path: string): readonly KeepMatch[] => {
    const absolute = resolve(cwd, path)
    const names = new Set([plain(absolute), plain(realPath(absolute))])
    return tests.flatMap(({ entry, test }): readonly KeepMatch[] => {
      const found = [...names].map(test)
      if (found.includes('exact')) return [{ entry, exact: true }]
      return found.includes('within') ? [{ entry, exact: false }] : []
    })
  }
  const known = new Map<string, readonly KeepMatch[]>()
  return (path) => {
    const matches = known.get(path) ?? matchesOf(path)
    known.set(path, matches)
    return matches
  }
}

type Test = (name: string) => 'exact' | 'within' | undefined

type Place = {
  readonly cwd: string
  readonly realPath: RealPath
  /** The form in which names are compared. */
  readonly plain: (path: string) => string
}

const entryTest = (entry: string, place: Place): Test => {
  const { cwd, realPath, plain } = place
  const absolute = isAbsolute(entry) ? entry : join(cwd, entry)
  const literals = new Set([plain(resolve(absolute)), plain(realPath(resolve(absolute)))])
  const globs = globsOf(entry, place)
  return (name) => {
    if (literals.has(name)) return 'exact'
    if ([...literals].some((literal) => name.startsWith(literal === '/' ? literal : `${literal}/`)))
      return 'within'
    return globs.some((glob) => glob(name)) ? 'within' : undefined
  }
}

type Glob = (name: string) => boolean

/** picomatch throws at some length; nobody means a glob that long. */
const longestGlob = 4096

const globsOf = (entry: string, { cwd, realPath, plain }: Place): readonly Glob[] => {
  const pattern = plain(entry).replace(/^(?:\.\/)+/, '')
  if (pattern.length > longestGlob || !picomatch.scan(pattern).isGlob) return []
  const matches = picomatch(pattern.endsWith('/') ? `${pattern}**` : pattern, { dot: true, nonegate: true })
  if (isAbsolute(entry)) return [matches]
  return [...new Set([cwd, realPath(cwd)])].map((root) => (name) => {
    const inside = plain(relative(plain(root), name))
    return matches(inside)
  })
}
