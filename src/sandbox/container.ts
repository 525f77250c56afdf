import type { Mount } from './mounts.ts'

/** What a container may use; what is left out is not limited. */
export type ContainerLimits = {
  /** As the engines take it: `2g`. */
  readonly memory?: string
  readonly cpus?: number
  readonly pids?: number
  /** `none`, `host`, or the name of a network; the engine's own when it is left out. */
  readonly network?: string
  readonly readOnlyRoot: boolean
}

/** One container, before it is started. */
export type Container = {
  readonly image: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Flags that give the process the ids of the user (`identity.ts`). */
  readonly identity: readonly string[]
  readonly mounts: readonly Mount[]
  /** Names of variables; their values are in the environment of the engine's client, never on its command line. */
  readonly variables: readonly string[]
  readonly cwd: string
  readonly entrypoint: string
  readonly args: readonly string[]
  readonly limits: ContainerLimits
  readonly pull: 'never' | 'missing'
  /** Whether the engine brings a first process that ends what the agent leaves behind; podman often has none. */
  readonly init: boolean
  /** Whether the engine's label of SELinux stands; without it mounts need not be labelled anew, which would change them. */
  readonly labelled: boolean
}

/** The arguments of `docker run` or `podman run` (§11.1). */
export const runArguments = (container: Container): readonly string[] => {
  const { limits } = container
  return [
    ...['run', '--rm', '--interactive', `--pull=${container.pull}`],
    ...(container.init ? ['--init'] : []),
    ...['--name', container.name],
    ...Object.entries(container.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...container.identity,
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...(container.labelled ? [] : ['--security-opt', 'label=disable']),
    ...(limits.memory === undefined ? [] : ['--memory', limits.memory]),
    ...(limits.cpus === undefined ? [] : ['--cpus', String(limits.cpus)]),
    ...(limits.pids === undefined ? [] : ['--pids-limit', String(limits.pids)]),
    ...(limits.network === undefined ? [] : ['--network', limits.network]),
    ...(limits.readOnlyRoot ? ['--read-only', '--tmpfs', '/tmp:exec'] : []),
    ...container.mounts.flatMap((mount) => ['--mount', mountArgument(mount)]),
    ...container.variables.flatMap((name) => ['--env', name]),
    ...['--workdir', container.cwd],
    // The image's own entrypoint would take the agent's name for an argument.
    ...['--entrypoint', container.entrypoint],
    container.image,
    ...container.args,
  ]
}

/**
 * `--mount` is read as CSV, so that a path may hold commas and quotes; unlike `-v` it takes colons, and refuses a source that
 * is missing instead of making it as root.
 */
const mountArgument = ({ source, target, readonly }: Mount): string =>
  ['type=bind', `source=${source}`, `target=${target}`, ...(readonly ? ['readonly'] : [])]
    .map(csvField)
    .join(',')

const csvField = (field: string): string =>
  /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
