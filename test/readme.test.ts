import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeCommands } from '../src/commands/describe.ts'
import { loadTask } from '../src/task/load.ts'
import { temporaryFolder } from './helpers/temporary.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const shapes = await describeCommands()

/** Code in the text and in blocks. */
const code = [...readme.matchAll(/```sh\n([\s\S]*?)```|`([^`\n]+)`/g)].flatMap(([, block, inline]) =>
  (block ?? inline ?? '').split(/\n|&&|\|/),
)
const calls = code.flatMap((line) => {
  const [, name, rest = ''] = /^\s*yoke ([a-z]+)(.*)$/.exec(line.replace(/#.*/, '')) ?? []
  return name === undefined ? [] : [{ name, flags: rest.match(/(?<!\S)--?[a-z][\w-]*/g) ?? [] }]
})

describe('the README', () => {
  it('names every command, and none that is not there', () => {
    const named = new Set(calls.map(({ name }) => name))
    expect(shapes.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([])
    for (const { name, flags } of calls) {
      const shape = shapes.find((each) => each.name === name)
      expect(shape, name).toBeDefined()
      expect(shape?.options.flatMap(({ names }) => names)).toEqual(expect.arrayContaining([...flags]))
    }
  })

  it('shows a task that says what it seems to say', async () => {
    const [, indent = '', task = ''] = /^( *)```markdown\n([\s\S]*?)^ *```/m.exec(readme) ?? []
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'task.md'), task.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    const { directives, prompt } = await loadTask({ file: 'task.md', cwd, flags: {}, env: { HOME: cwd } })
    expect(directives).toMatchObject({ checks: ['npm test'], 'max-iterations': 10, 'max-cost-usd': 5 })
    expect(prompt).toContain('Make `slugify`')
  })

  it('points at files that are there', () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target)
    for (const target of targets.filter((each) => !each.startsWith('http')))
      expect(existsSync(join(root, target)), target).toBe(true)
  })
})
