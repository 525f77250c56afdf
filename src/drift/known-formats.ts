import * as v from 'valibot'
import { type DriftAgent, type Format, FormatSchema } from './format.ts'
import { learntFormats } from './learnt.ts'

const load: Readonly<Record<DriftAgent, () => Promise<readonly unknown[]>>> = {
  claude: async () => (await import('./schemas/claude.ts')).claudeFormats,
  opencode: async () => (await import('./schemas/opencode.ts')).opencodeFormats,
}

/** They do not change while yoke runs, and a run asks for them before each trim. */
const shipped = new Map<DriftAgent, Promise<readonly Format[]>>()

/** The formats of an agent that came with yoke. */
export const shippedFormats = (agent: DriftAgent): Promise<readonly Format[]> => {
  const known = shipped.get(agent) ?? load[agent]().then((formats) => v.parse(v.array(FormatSchema), formats))
  shipped.set(agent, known)
  return known
}

/** All formats of an agent that yoke knows here: its own, and those that were learnt on this machine. */
export const knownFormats = async (
  agent: DriftAgent,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Format[]> => {
  const [own, learnt] = await Promise.all([shippedFormats(agent), learntFormats(env, agent)])
  return learnt.length === 0 ? own : [...own, ...learnt]
}
