import { createHash } from 'node:crypto'
import type { DirectiveKey, Directives } from './directives.ts'
import type { LayerName, Resolved } from './resolve.ts'

/** Directives that run programs, reach outside the project or take a guard away. A repository can bring them along. */
const powerful = [
  'checks',
  'on-finish',
  'agent-args',
  'permission-mode',
  'allowed-tools',
  'image',
  'mounts',
  'env',
  'network',
  'checks-in',
  'commit',
] as const satisfies readonly DirectiveKey[]

const harmlessModes = new Set(['acceptEdits', 'default', 'plan', 'manual', 'dontAsk'])

/** Layers that come with the project; flags and the user's own config are the user's word. */
const foreign = new Set<LayerName>(['front matter', 'project config'])

/** What a project asks for that the user has to agree to once. */
export type Grant = { readonly key: DirectiveKey; readonly value: string }

/** The powerful directives that the project itself brings along (§8.4). */
export const grantsOf = ({ directives, origin }: Resolved): readonly Grant[] =>
  powersOf(directives).filter(({ key }) => foreign.has(origin[key]))

/** The powerful directives, wherever they are from: what a stored run asks for, whose log may be of another's making. */
export const powersOf = (directives: Directives): readonly Grant[] =>
  powerful
    .filter((key) => !isHarmless(key, directives))
    .map((key) => ({ key, value: JSON.stringify(directives[key]) }))

const isHarmless = (key: DirectiveKey, directives: Directives): boolean => {
  const value = directives[key]
  if (key === 'permission-mode') return harmlessModes.has(String(value))
  if (key === 'checks-in') return value === 'image'
  // A commit runs the hooks of the repository.
  if (key === 'commit') return value === undefined || value === 'off'
  if (key === 'network') return value === 'default' || value === 'none'
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

/** Names these grants in this project: another value, or another place, is asked for again. */
export const digestOfGrants = (project: string, grants: readonly Grant[]): string =>
  createHash('sha256')
    .update(JSON.stringify([project, grants]))
    .digest('hex')
