/** What an engine makes of user ids. */
export type EngineKind = {
  readonly name: 'docker' | 'podman'
  /** The engine runs as an ordinary user: root in the container is that user. */
  readonly rootless: boolean
  /** The daemon maps container ids to other ids of the host (`userns-remap`). */
  readonly remapped: boolean
  /** SELinux keeps containers from files of the host that are not labelled for them. */
  readonly selinux: boolean
}

/** The ids of a user of the host. */
export type User = { readonly uid: number; readonly gid: number }

/**
 * Flags under which what the container writes belongs to the user: session files have mode 0600, so that under any other
 * id neither yoke nor a later container could read them.
 */
export const identityArguments = (engine: EngineKind, { uid, gid }: User): readonly string[] => {
  if (engine.name === 'podman') return engine.rootless ? ['--userns=keep-id'] : ['--user', `${uid}:${gid}`]
  if (engine.rootless) return []
  return [...(engine.remapped ? ['--userns=host'] : []), '--user', `${uid}:${gid}`]
}

/** Whether the process in the container takes itself for root: Claude Code then wants to be told that it is in a sandbox. */
export const isRootInside = (engine: EngineKind, { uid }: User): boolean =>
  uid === 0 || (engine.name === 'docker' && engine.rootless)
