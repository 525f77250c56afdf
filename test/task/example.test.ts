import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInit } from '../../src/commands/init.ts'
import { runSchema } from '../../src/commands/schema.ts'
import { directiveKeys } from '../../src/task/directives.ts'
import { exampleTask } from '../../src/task/example.ts'
import { parseFrontMatter } from '../../src/task/front-matter.ts'
import { loadTask } from '../../src/task/load.ts'
import { resolveDirectives } from '../../src/task/resolve.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const defaults = resolveDirectives([]).directives

describe('the example task', () => {
  it('sets nothing as it stands', () => {
    expect(parseFrontMatter(exampleTask(), 'task.md').values).toEqual({})
  })

  it('shows every directive with its default: with every # taken away nothing changes', () => {
    const bare = exampleTask().replace(/^# ([a-z-]+: )/gm, '$1')
    const { values } = parseFrontMatter(bare, 'task.md')
    expect(Object.keys(values)).toEqual(directiveKeys)
    expect(resolveDirectives([{ name: 'front matter', where: '', values }]).directives).toEqual(defaults)
  })
})

describe('yoke init', () => {
  it('writes a task that loads', async () => {
    const cwd = await temporaryFolder()
    const path = await runInit({ file: 'tasks/new.md', cwd, force: false })
    expect(path).toBe(join(cwd, 'tasks/new.md'))
    const task = await loadTask({ file: 'tasks/new.md', cwd, flags: {}, env: { HOME: cwd } })
    expect(task.directives).toEqual(defaults)
  })

  it('writes what is chosen as directives that load, with the prompt', async () => {
    const cwd = await temporaryFolder()
    const set = { checks: ['npm test'], 'allowed-tools': ['Bash(npm test:*)'], 'max-cost-usd': 5 }
    await runInit({ file: 'task.md', cwd, force: false, set, prompt: ' Make it so. ' })
    const task = await loadTask({ file: 'task.md', cwd, flags: {}, env: { HOME: cwd } })
    expect(task.directives).toEqual({ ...defaults, ...set })
    expect(task.prompt.trim()).toBe('Make it so.')
  })

  it('writes nothing for a choice that is none', async () => {
    const cwd = await temporaryFolder()
    const init = runInit({ file: 'task.md', cwd, force: false, set: { 'max-cost-usd': 'lots' } })
    await expect(init).rejects.toMatchObject({ code: 'E_BAD_DIRECTIVE', exit: 2 })
    await expect(readFile(join(cwd, 'task.md'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('leaves a file alone that is there, unless it is forced', async () => {
    const cwd = await temporaryFolder()
    const path = join(cwd, 'task.md')
    await writeFile(path, 'mine')
    await expect(runInit({ file: 'task.md', cwd, force: false })).rejects.toMatchObject({
      code: 'E_EXISTS',
      exit: 2,
    })
    expect(await readFile(path, 'utf8')).toBe('mine')
    await runInit({ file: 'task.md', cwd, force: true })
    expect(await readFile(path, 'utf8')).toBe(exampleTask())
  })

  it('says where it cannot write', async () => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'a'), '')
    await expect(runInit({ file: 'a/task.md', cwd, force: true })).rejects.toMatchObject({
      code: 'E_NOT_WRITABLE',
    })
    await expect(runInit({ file: 'a/task.md', cwd, force: false })).rejects.toMatchObject({
      code: 'E_NOT_WRITABLE',
    })
    await expect(runInit({ file: '.', cwd, force: true })).rejects.toMatchObject({ code: 'E_NOT_WRITABLE' })
  })
})

describe('yoke schema', () => {
  let printed = ''
  runSchema({ write: (text) => (printed += text) })
  const schema = JSON.parse(printed)

  it('describes every directive and allows no other', () => {
    expect(Object.keys(schema.properties)).toEqual(directiveKeys)
    expect(schema.additionalProperties).toBe(false)
    for (const key of directiveKeys)
      expect(schema.properties[key]).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
      })
  })

  it('has the rules that an editor can check', () => {
    expect(schema.properties.drift).toMatchObject({ enum: ['normal', 'strict'], default: 'normal' })
    expect(schema.properties['max-iterations'].anyOf).toContainEqual(
      expect.objectContaining({ type: 'integer', minimum: 1 }),
    )
    expect(schema.properties.periodics.items.required).toEqual(['name', 'every'])
  })
})
