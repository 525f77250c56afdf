import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readInstructions } from '../../src/run/instructions.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

describe("the project's instructions for agents", () => {
  it('are none without a file, or with an empty one', async () => {
    const project = await temporaryFolder()
    expect(await readInstructions(project)).toBeUndefined()
    writeFileSync(join(project, 'CLAUDE.md'), ' \n')
    expect(await readInstructions(project)).toBeUndefined()
  })

  it('come from every file that agents read, each text once', async () => {
    const project = await temporaryFolder()
    mkdirSync(join(project, '.claude'))
    writeFileSync(join(project, 'CLAUDE.md'), 'One.\n')
    writeFileSync(join(project, '.claude', 'CLAUDE.md'), 'Two.\n')
    symlinkSync('CLAUDE.md', join(project, 'AGENTS.md'))
    expect(await readInstructions(project)).toBe('One.\n\nTwo.')
  })

  it('are cut when they are long, and say so', async () => {
    const project = await temporaryFolder()
    writeFileSync(join(project, 'AGENTS.md'), 'x'.repeat(100_000))
    const text = (await readInstructions(project)) ?? ''
    expect(text.length).toBeLessThan(33_000)
    expect(text).toContain('left out')
  })
})
