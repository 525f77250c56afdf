import { $ } from 'zx'

/** Every release of a package that the registry still serves, oldest first. */
export const publishedReleases = async (name: string): Promise<readonly string[]> => {
  const { stdout } = await $({ quiet: true })`npm view ${name} versions --json`
  return (JSON.parse(stdout) as readonly string[]).filter((version) => /^\d+\.\d+\.\d+$/.test(version))
}

/**
 * The releases that a list names: `2.1.332`, `1.0.9..1.0.30` (all between, both included), `newest:15`. Throws for one that is not published.
 */
export const chosenReleases = (list: string, published: readonly string[]): readonly string[] => [
  ...new Set(list.split(',').flatMap((item) => chosenBy(item.trim(), published))),
]

const chosenBy = (item: string, published: readonly string[]): readonly string[] => {
  const newest = /^newest:(\d+)$/.exec(item)?.[1]
  if (newest !== undefined) return published.slice(-Number(newest))
  const [from = '', to = from] = item.split('..')
  const [first, last] = [published.indexOf(from), published.indexOf(to)]
  if (first === -1 || last === -1) throw new Error(`${item}: the registry has no such release`)
  return published.slice(first, last + 1)
}
