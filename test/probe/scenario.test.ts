import { describe, expect, it } from 'vitest'
import { parseScenario } from '../../src/probe/scenario.ts'
import demo from '../../src/probe/scenarios/demo.json' with { type: 'json' }
import demoProject from '../../src/probe/scenarios/demo-project.json' with { type: 'json' }
import { startModelServer } from '../../src/probe/server.ts'
import { scenario, startClient } from './client.ts'

const roles = [{ name: 'worker', match: 'x' }]
const of = (parts: Record<string, unknown>) => ({
  name: 'n',
  roles,
  script: { worker: [[{ blocks: [{ text: 'x' }] }]] },
  ...parts,
})
const replies = (...list: unknown[]) => of({ script: { worker: [list] } })

describe('a scenario', () => {
  it.each([
    ['is no object', 7, 'Invalid type'],
    ['has an unknown key', of({ scripts: {} }), 'scripts: '],
    ['has no name', of({ name: '' }), 'name: must not be empty'],
    ['has a role without a rule', of({ roles: [{ name: 'worker' }] }), 'roles.0: needs `match` or `tool`'],
    [
      'has a rule that is no regular expression',
      of({ roles: [{ name: 'worker', match: '(' }] }),
      'roles.0.match: must be a regular expression',
    ],
    [
      'scripts a role that is not there',
      of({ script: { worker: [], judge: [] } }),
      'script.judge: no role has this name',
    ],
    ['has a role without a script', of({ script: {} }), 'roles: the script has no turns for worker'],
    ['has an empty turn', replies(), 'script.worker.0: needs at least one reply'],
    ['has an empty reply', replies({ blocks: [] }), 'script.worker.0.0.blocks: needs at least one block'],
    [
      'has an unknown block',
      replies({ blocks: [{ txt: 'x' }] }),
      'script.worker.0.0.blocks.0: needs one of the keys text, thinking, tool, answer',
    ],
    [
      'has a block with a key too many',
      replies({ blocks: [{ text: 'x', id: '1' }] }),
      'script.worker.0.0.blocks.0.id: ',
    ],
    [
      'has a tool without input',
      replies({ blocks: [{ tool: 'Read' }] }),
      'script.worker.0.0.blocks.0.input: ',
    ],
    [
      'has an error with a status that is none',
      replies({ error: { status: 200, type: 'a', message: 'b' } }),
      'script.worker.0.0.error.status: ',
    ],
    [
      'mixes an error with blocks',
      replies({ error: { status: 500, type: 'a', message: 'b' }, blocks: [] }),
      'script.worker.0.0.blocks: ',
    ],
    [
      'waits for less than nothing',
      replies({ blocks: [{ text: 'x' }], delayMs: -1 }),
      'script.worker.0.0.delayMs: ',
    ],
  ])('is refused when it %s', (_, input, problem) => {
    expect(() => parseScenario(input)).toThrow(
      expect.objectContaining({ code: 'E_SCENARIO', exit: 2, message: expect.stringContaining(problem) }),
    )
  })

  it('has every problem named at once', () => {
    expect(() => parseScenario(replies({ blocks: [] }, { blocks: [{}], delayMs: 'x' }))).toThrow(
      /0\.0\.blocks.*0\.1\..*0\.1\./,
    )
  })
})

describe('variables', () => {
  const withText = (text: string) =>
    scenario({ script: { worker: [[{ blocks: [{ tool: 'Read', input: { paths: [text] } }] }]] } })

  it('are replaced in every string, once', async () => {
    const server = await startModelServer({
      scenario: withText('{{cwd}}/a/{{ cwd }}/{{turn}}'),
      variables: { cwd: '/p/{{turn}}$&' },
    })
    const { text } = await startClient(server).ask()
    await server.close()
    expect(JSON.parse(text).content[0].input.paths[0]).toMatch(/^\/p\/.*\$&\/a\/\/p\/.*\$&\/1$/)
  })

  it('must be known', async () => {
    await expect(
      startModelServer({ scenario: withText('{{cwd}} {{home}}'), variables: { cwd: '/' } }),
    ).rejects.toThrow(
      expect.objectContaining({
        code: 'E_SCENARIO',
        message: 'The scenario uses variables that nobody sets: home.',
      }),
    )
  })
})

describe('the scenario of the demo', () => {
  it('fits the schema and needs only {{cwd}}', async () => {
    const server = await startModelServer({ scenario: parseScenario(demo), variables: { cwd: '/p' } })
    await server.close()
  })

  it('edits what is there', () => {
    const files = new Map<string, string>(Object.entries(demoProject.files))
    for (const block of parseScenario(demo)
      .script['worker']?.flat()
      .flatMap((reply) => ('blocks' in reply ? reply.blocks : [])) ?? []) {
      if (!('tool' in block)) continue
      const name = String(block.input['file_path']).replace('{{cwd}}/', '')
      if (block.tool === 'Edit') {
        const before = files.get(name) ?? ''
        const old = String(block.input['old_string'])
        expect(before.split(old), `${name}: ${old}`).toHaveLength(2)
        files.set(
          name,
          before.replace(old, () => String(block.input['new_string'])),
        )
      }
      if (block.tool === 'Write') files.set(name, String(block.input['content']))
      if (block.tool === 'Read') expect([...files.keys()]).toContain(name)
    }
  })
})
