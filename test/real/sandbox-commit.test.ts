import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dockerIsPossible, startDocker, type TestEngine } from '../helpers/engines.ts'
import { git, initialise, put } from '../helpers/repository.ts'
import { yoke } from '../helpers/yoke.ts'
import { notes, reply, say, write } from './project.ts'
import { claude, flags, scenario, start } from './sandbox-place.ts'

describe.skipIf(!dockerIsPossible || !process.env['YOKE_NIGHTLY'])('commits in an image', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startDocker([claude()])
  }, 120_000)
  afterAll(() => engine?.stop(), 60_000)

  it('run their hooks there, under the name of the user', { timeout: 180_000 }, async () => {
    const base = scenario()
    const worker = [
      [reply(write('b.txt', 'b')), reply(notes('KEEP: none\nCOMMIT: Add b\n')), reply(say('Ok.'))],
    ]
    const { project, env } = await start(engine, { ...base, script: { ...base.script, worker } })
    initialise(project)
    git(project, 'rm', '-q', '--cached', 'task.md')
    git(project, 'commit', '-q', '--amend', '-m', 'first')
    put(project, {
      'task.md': 'Write b.txt.',
      '.git/hooks/pre-commit': '#!/bin/sh\ntest ! -e /usr/bin/unshare || exit 1\necho ran > .git/ran\n',
    })
    chmodSync(join(project, '.git/hooks/pre-commit'), 0o755)
    const args = ['brute', 'task.md', ...flags(), '--branch', 'yoke/x']
    const run = await yoke(args, { cwd: project, env })
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    expect(git(project, 'log', '--format=%s %ae')).toBe('Add b t@example.org\nfirst t@example.org')
    expect(git(project, 'show', '--name-only', '--format=%an')).toBe('T "est" $(id)\n\nb.txt')
    // As the same user: the next commit outside finds nothing in its way.
    git(project, 'commit', '-q', '--allow-empty', '-m', 'outside', '--no-verify')
  })
})
