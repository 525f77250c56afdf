import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const text = readFileSync(
  join(import.meta.dirname, '..', '..', 'vectors', 'behavioral-specification.md'),
  'utf8',
)

/** The version of the specification. */
export const version = /^Version (\d+\.\d+\.\d+)\./m.exec(text)?.[1]

/** The numbered sections: `3.1`. */
export const sections = [...text.matchAll(/^#{2,3} §(\d+(?:\.\d+)?) /gm)].map(([, number]) => number)

/** The rules in their order, each with its number and its words. */
export const rules = text.split(/\n(?=- |\n|#)/).flatMap((paragraph) => {
  const [, number, words] = /^- \[(\d+\.\d+-\d+)\] (.*)$/s.exec(paragraph.trim()) ?? []
  return number === undefined || words === undefined ? [] : [{ number, words }]
})

/** The rows of the table of a section, without its head. */
export const rowsOf = (section: string): readonly (readonly string[])[] => {
  const start = text.indexOf(`### ${section} `)
  const body = text.slice(start, text.indexOf('\n#', start + 1))
  return [...body.matchAll(/^\| (.*) \|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()))
}
