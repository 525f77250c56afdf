import type { Engine } from './engine.ts'
import { askEngine, complaintOf } from './run-engine.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A container of yoke's that the engine still knows. */
export type Leftover = {
  readonly id: string
  readonly name: string
  /** In the engine's words: `Up 2 minutes`, `Exited (0) 3 hours ago`. */
  readonly status: string
  /** The project that it belongs to. */
  readonly project: string
}

/** The label that every container of yoke has; its value is the project's path. */
export const projectLabel = 'yoke.project'

/** A project, or what tells those that are meant. */
type Projects = string | ((project: string) => boolean)

/** Containers of yoke's. */
export const listLeftovers = async (
  engine: Engine,
  env: Env,
  projects: Projects,
): Promise<readonly Leftover[]> => {
  // Not by its value: podman takes it for CSV, and fails at a quote in a path (4.3.1).
  const filter = `label=${projectLabel}`
  const format = `{{.ID}}\t{{.Names}}\t{{.Status}}\t${labelField(engine)}`
  const told = await askEngine(
    engine.file,
    ['ps', '--all', '--no-trunc', '--filter', filter, '--format', format],
    env,
  )
  const all = told
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', name = '', status = '', ...rest] = line.split('\t')
      return { id, name, status, project: rest.join('\t') }
    })
  return all.filter(({ project }) =>
    typeof projects === 'string' ? project === projects : projects(project),
  )
}

const labelField = ({ name }: Engine): string =>
  name === 'docker' ? `{{.Label "${projectLabel}"}}` : `{{index .Labels "${projectLabel}"}}`

/** Removes containers that a dead yoke left behind in projects; resolves to a sentence for what stands in the way. */
export const removeLeftovers = async (
  engine: Engine,
  projects: Projects,
  env: Env,
): Promise<readonly string[]> => {
  const found = await listLeftovers(engine, env, projects).catch(complaintOf)
  if (typeof found === 'string') return [`Containers that are left could not be listed: ${found}.`]
  const ends = await Promise.all(
    found.map(({ id, name }) =>
      askEngine(engine.file, ['rm', '--force', id], env).then(
        () => undefined,
        (error) => {
          const said = complaintOf(error)
          // It ended by itself in the meantime.
          if (/no such container|no container with|already in progress/i.test(said)) return undefined
          return `The container ${name} could not be removed: ${said}.`
        },
      ),
    ),
  )
  return ends.filter((end) => end !== undefined)
}
