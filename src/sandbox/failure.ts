import type { Ending } from '../agents/agent.ts'

/** What the exit codes of `docker run` and `podman run` mean when the agent itself said nothing. */
const meanings: Readonly<Record<number, string>> = {
  125: 'The container engine could not start the container',
  126: 'The agent in the image cannot be run',
  127: 'The image has no such program',
}

/** The engine's own failure, told apart from the agent's, in a sentence; undefined when the agent was started. */
export const engineFailure = (image: string, { exit, results, stderr }: Ending): string | undefined => {
  const meaning = exit === null || results.length > 0 ? undefined : meanings[exit]
  if (meaning === undefined) return undefined
  const said = stderr.trim().split('\n')[0] ?? ''
  return `${meaning} (${image}): ${said}`
}
