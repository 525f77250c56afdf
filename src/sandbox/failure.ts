import type { Ending } from '../agents/agent.ts'
import { complaintIn } from './run-engine.ts'

/** What the exit codes of `docker run` and `podman run` mean when the agent itself said nothing. */
const meanings: Readonly<Record<number, string>> = {
  125: 'The container engine could not start the container',
  126: 'The agent in the image cannot be run',
  127: 'The image has no such program',
}

/** What an exit code says of the container, not of the program in it. */
export const meaningOf = (exit: unknown): string | undefined =>
  typeof exit === 'number' ? meanings[exit] : undefined

/** The engine's own failure, told apart from the agent's, in a sentence; undefined when the agent was started. */
export const engineFailure = (
  image: string,
  { exit, results, answers, stderr }: Ending,
): string | undefined => {
  const meaning = results.length > 0 || (answers?.count ?? 0) > 0 ? undefined : meaningOf(exit)
  return meaning === undefined ? undefined : `${meaning} (${image}): ${complaintIn(stderr)}`
}
