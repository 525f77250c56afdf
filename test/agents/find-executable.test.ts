import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findExecutable } from '../../src/agents/find-executable.ts'
import { agentByName, agentNames } from '../../src/agents/registry.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const agent = { name: 'agent', install: 'npm install -g agent' }

const program = async (folder: string, mode = 0o755) => {
  const file = join(folder, 'agent')
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, mode)
  return file
}

describe.skipIf(process.platform === 'win32')('an agent', () => {
  it('is the first on PATH', async () => {
    const [empty, first, second] = await Promise.all([
      temporaryFolder(),
      temporaryFolder(),
      temporaryFolder(),
    ])
    const file = await program(first)
    await program(second)
    expect(await findExecutable(agent, { PATH: [empty, first, second].join(delimiter) })).toBe(file)
  })

  it('is neither a folder nor a file that cannot be run', async () => {
    const [withFolder, withText, good] = await Promise.all([
      temporaryFolder(),
      temporaryFolder(),
      temporaryFolder(),
    ])
    await mkdir(join(withFolder, 'agent'))
    await program(withText, 0o644)
    const file = await program(good)
    expect(await findExecutable(agent, { PATH: [withFolder, withText, good].join(delimiter) })).toBe(file)
  })

  it('is not taken from the project by a relative PATH', async () => {
    await expect(
      findExecutable(agent, { PATH: `.${delimiter}node_modules/.bin${delimiter}` }),
    ).rejects.toMatchObject({
      code: 'E_NO_AGENT',
    })
  })

  it('that is not there is an error with the command that installs it', async () => {
    const missing = findExecutable(agent, { PATH: await temporaryFolder() })
    await expect(missing).rejects.toMatchObject({
      code: 'E_NO_AGENT',
      exit: 1,
      fix: expect.stringContaining('npm install -g agent'),
    })
    await expect(findExecutable(agent, {})).rejects.toMatchObject({ code: 'E_NO_AGENT' })
  })

  it('may be named by its path', async () => {
    const file = await program(await temporaryFolder())
    expect(await findExecutable(agent, {}, file)).toBe(file)
    await expect(findExecutable(agent, {}, `${file}-not`)).rejects.toMatchObject({ code: 'E_NO_AGENT' })
  })
})

describe('the registry', () => {
  it('knows each agent by its name', () => {
    for (const name of agentNames) expect(agentByName(name).name).toBe(name)
    expect(agentNames).toContain('claude')
  })

  it('names the known agents, and the nearest, for an unknown one', () => {
    expect(() => agentByName('cluade')).toThrow(
      expect.objectContaining({
        code: 'E_UNKNOWN_AGENT',
        exit: 2,
        fix: expect.stringMatching(/Did you mean `claude`\?.*claude/),
      }),
    )
    expect(() => agentByName('emacs')).toThrow(
      expect.objectContaining({ fix: expect.not.stringContaining('Did you mean') }),
    )
  })
})
