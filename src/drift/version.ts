/** The order of releases: negative when `a` is older. Parts that are no numbers count as 0. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const partsOf = (version: string): readonly number[] =>
  version.split('.').map((part) => Number.parseInt(part, 10) || 0)
