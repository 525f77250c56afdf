import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunSettings } from './context.ts'

/** Where projects keep what they ask of agents. The CLI would read them with settings that judge and scoper must not have. */
const files = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md']

const mostCharacters = 32_768

/** The project's instructions for agents, each text once; undefined when there are none. */
export const readInstructions = async (project: string): Promise<string | undefined> => {
  const texts = await Promise.all(files.map((file) => readFile(join(project, file), 'utf8').catch(() => '')))
  const whole = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '').join('\n\n')
  if (whole === '') return undefined
  return whole.length <= mostCharacters
    ? whole
    : `${whole.slice(0, mostCharacters)}\n[The rest is left out. It stands in ${files.join(', ')}.]`
}

/** What judge and scoper are told of them. */
export const instructionsOf = ({
  directives,
  instructions,
}: Pick<RunSettings, 'directives' | 'instructions'>): string | undefined =>
  directives['judge-context'] === 'project' ? instructions : undefined
