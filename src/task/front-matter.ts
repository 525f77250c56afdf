import { exitCode, YokeError } from '../errors.ts'
import { type Mapping, parseMapping } from './yaml.ts'

export type FrontMatter = Mapping & { readonly prompt: string }

const rule = /^---[ \t]*$/

/**
 * Parts the text of a task file into directives and prompt. Front matter is what stands between a first line `---` and
 * the next such line; without it the whole text is the prompt, and a later `---` is a thematic break in it.
 * The prompt is kept byte for byte. Throws `E_TASK_YAML`, or `E_TASK_FRONT_MATTER` when the front matter is not closed.
 */
export const parseFrontMatter = (source: string, where: string): FrontMatter => {
  const text = source.replace(/^\uFEFF/, '')
  const lines = text.split(/(?<=\n)/)
  const isRule = (line: string) => rule.test(line.replace(/\r?\n$/, ''))
  if (!isRule(lines[0] ?? '')) return { values: {}, lines: {}, prompt: text }
  const end = lines.findIndex((line, index) => index > 0 && isRule(line))
  if (end === -1)
    throw new YokeError(
      'E_TASK_FRONT_MATTER',
      `${where} begins with \`---\`, but no second \`---\` line closes the front matter.`,
      'Close it with a line `---`; if the first line is meant as a thematic break, write `***` instead.',
      exitCode.usage,
    )
  return {
    ...parseMapping(lines.slice(1, end).join(''), where, 1),
    prompt: lines.slice(end + 1).join(''),
  }
}
