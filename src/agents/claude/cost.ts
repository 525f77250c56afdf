/** `total_cost_usd` counts over resumes from 2.1.277 on, while the session holds its `cost-state` record, which a trim keeps. */
export const printsSessionCost = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 277)))
}
