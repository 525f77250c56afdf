import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { nextStep } from '../../../src/loop/next.ts'
import { commit } from '../../../src/run/steps/commit.ts'
import { rollBack } from '../../../src/run/steps/rollback.ts'
import { finished, verdict } from '../../helpers/events.ts'
import { git, put, repository } from '../../helpers/repository.ts'
import { behindChecks, runId } from './place.ts'

const wild = ['--all', 'it\'s $(touch pwned) `id` "x"; & | <a>.md', ':(top)x', '*', 'ü ñ\t.txt', '-n']
const onPosix = process.platform !== 'win32'

const hook = (project: string, name: string, script: string) => {
  put(project, { [`.git/hooks/${name}`]: `#!/bin/sh\n${script}\n` })
  chmodSync(join(project, '.git/hooks', name), 0o755)
}

describe('a commit', () => {
  it.runIf(onPosix)(
    'takes what the worker did under its own words, whatever names and words hold',
    async () => {
      const project = await repository()
      const words = {
        subject: '--amend $(touch pwned) `id`\n"; rm -rf \u0007 # 100%',
        body: '# no comment\n- `a.txt`: $HOME',
      }
      const { context, events } = await behindChecks(project, { words })
      put(project, Object.fromEntries(wild.map((name) => [name, 'x\n'])))
      put(project, { 'a.txt': 'two\n', 'deep/er/b.txt': 'b\n' })
      await commit(context)

      expect(events).toMatchObject([
        { type: 'commit.made', iteration: 1, files: 8, insertions: 8, deletions: 1 },
      ])
      expect(git(project, 'log', '--format=%B', '-1')).toBe(
        `--amend $(touch pwned) \`id\` "; rm -rf # 100%\n\n# no comment\n- \`a.txt\`: $HOME\n\nYoke-Run: ${runId}\nYoke-Iteration: 1\n`.trimEnd(),
      )
      expect(git(project, 'log', '--format=%an', '-1')).toBe('T "est" $(id)')
      expect(git(project, 'ls-files', '-z').split('\0').filter(Boolean).sort()).toEqual(
        [...wild, 'a.txt', 'deep/er/b.txt'].sort(),
      )
      expect(existsSync(join(project, 'pwned'))).toBe(false)
      expect(nextStep(context.state(), { time: 0, jitter: 0, task: '' })).toEqual({ do: 'run-judge' })
    },
  )

  it('leaves `.loop/` and a task file that is not in the repository alone, ignored or not', async () => {
    const task = 'my [task]*.md'
    for (const ignored of ['', '.loop\n', `.loop/\nmy*\n`]) {
      const project = await repository({ 'a.txt': 'one\n', '.gitignore': ignored })
      const { context, events } = await behindChecks(project, { taskFile: join(project, task) })
      put(project, { 'a.txt': 'two\n', [task]: 'Do it.' })
      await commit(context)
      expect(events).toMatchObject([{ type: 'commit.made', files: 1 }])
      expect(git(project, 'ls-files')).toBe('.gitignore\na.txt')
    }
  })

  it('is not made of nothing; what the worker has committed itself is told', async () => {
    const project = await repository()
    const { context, events } = await behindChecks(project)
    const first = git(project, 'rev-parse', 'HEAD')
    await commit(context)
    expect(events).toEqual([{ type: 'commit.skipped', iteration: 1, reason: 'nothing has changed' }])
    put(project, { 'a.txt': 'two\n' })
    git(project, 'commit', '-qam', 'of my own')
    await commit(context)
    expect(events.at(-1)).toMatchObject({
      type: 'commit.made',
      from: first,
      commit: git(project, 'rev-parse', 'HEAD'),
      subject: 'of my own',
      files: 1,
    })
  })

  it('can be the first one of a repository, and of a folder in it', async () => {
    const project = await repository()
    git(project, 'update-ref', '-d', 'HEAD')
    put(project, { 'pack/b.txt': 'b\n' })
    git(project, 'rm', '-q', '--cached', 'a.txt')
    const { context, events } = await behindChecks(join(project, 'pack'))
    await commit(context)
    expect(events).toMatchObject([{ type: 'commit.made', from: null, files: 1, insertions: 1 }])
    expect(git(project, 'ls-files')).toBe('pack/b.txt')
  })

  it('goes to the repository of the project, wherever the variables of a hook lead', async () => {
    const [project, other] = [await repository(), await repository()]
    const leading = {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, '.git/index'),
    }
    for (const [name, value] of Object.entries(leading)) vi.stubEnv(name, value)
    const { context, events } = await behindChecks(project)
    put(project, { 'b.txt': 'b\n' })
    await commit(context)
    vi.unstubAllEnvs()
    expect(events).toMatchObject([{ type: 'commit.made', files: 1 }])
    expect(git(project, 'ls-files')).toBe('a.txt\nb.txt')
    expect(git(other, 'log', '--format=%s')).toBe('first')
  })

  it.runIf(onPosix)('is a failed check when a hook refuses it, and the worker hears why', async () => {
    const project = await repository()
    hook(project, 'pre-commit', 'echo "no $(git diff --cached --name-only) today"; exit 3')
    const { context, events } = await behindChecks(project)
    put(project, { 'a.txt': 'two\n' })
    await commit(context)
    expect(events).toMatchObject([
      { type: 'check.failed', command: 'git commit', exit: 1, output: 'no a.txt today' },
    ])
    expect(context.state()).toMatchObject({ phase: { at: 'progress' }, feedback: { kind: 'checks-failed' } })
    expect(git(project, 'rev-list', '--count', 'HEAD')).toBe('1')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\n')
  })

  it.runIf(onPosix)('keeps a task from being done when a hook refuses it behind the verdict', async () => {
    const project = await repository()
    hook(project, 'commit-msg', 'grep -q "^feat" "$1" || { echo "want feat:"; exit 1; }')
    const given = { directives: { commit: 'done' }, more: [verdict('done')] }
    const { context, events } = await behindChecks(project, given)
    put(project, { 'a.txt': 'two\n' })
    expect(nextStep(context.state(), { time: 0, jitter: 0, task: '' })).toEqual({ do: 'commit' })
    await commit(context)
    expect(events).toMatchObject([{ type: 'check.failed', output: 'want feat:' }])
    expect(context.state().verdict).toBeUndefined()

    const other = await behindChecks(project, { ...given, words: { subject: 'feat: two', body: '' } })
    await commit(other.context)
    expect(other.events).toMatchObject([{ type: 'commit.made', subject: 'feat: two' }])
    expect(other.context.state().phase).toEqual({ at: 'progress' })
  })

  it.runIf(onPosix)('is not held up by a hook that hangs or asks', async () => {
    const project = await repository()
    hook(project, 'pre-commit', 'read answer; read again </dev/tty; sleep 60')
    const { context, events } = await behindChecks(project, {
      directives: { commit: 'each', 'iteration-timeout': '500ms' },
    })
    put(project, { 'a.txt': 'two\n' })
    const began = Date.now()
    await commit(context)
    expect(events).toMatchObject([{ type: 'check.failed', exit: null }])
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(existsSync(join(project, '.git/index.lock'))).toBe(false)
  })

  it.runIf(onPosix)('is made without a signature, and says so, where signing would fail or ask', async () => {
    for (const program of ['exit 1', 'sleep 60']) {
      const project = await repository()
      put(project, { '.git/gpg': `#!/bin/sh\n${program}\n` })
      chmodSync(join(project, '.git/gpg'), 0o755)
      git(project, 'config', 'commit.gpgsign', 'true')
      git(project, 'config', 'gpg.program', join(project, '.git/gpg'))
      const { context, events } = await behindChecks(project)
      put(project, { 'a.txt': 'two\n' })
      await commit(context, 300)
      expect(events).toMatchObject([{ type: 'warning', code: 'W_UNSIGNED' }, { type: 'commit.made' }])
    }
  })

  it.runIf(onPosix)('is signed where that needs nobody', async () => {
    const project = await repository()
    const key = join(project, '.git/key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    git(project, 'config', 'commit.gpgsign', 'true')
    git(project, 'config', 'gpg.format', 'ssh')
    git(project, 'config', 'user.signingkey', key)
    const { context, events } = await behindChecks(project)
    put(project, { 'a.txt': 'two\n' })
    await commit(context)
    expect(events).toMatchObject([{ type: 'commit.made' }])
    expect(git(project, 'cat-file', '-p', 'HEAD')).toContain('BEGIN SSH SIGNATURE')
  })

  it('is refused on a branch that is not the one of the run', async () => {
    const project = await repository()
    const { context, events } = await behindChecks(project, {
      directives: { commit: 'each', branch: 'yoke/x' },
    })
    put(project, { 'a.txt': 'two\n' })
    await commit(context)
    expect(events).toMatchObject([{ type: 'check.failed', output: expect.stringContaining('yoke/x') }])
    expect(git(project, 'rev-list', '--count', 'HEAD')).toBe('1')
  })
})

describe('a rollback', () => {
  const crashed = [finished('crash', { evidence: 'gone' })]
  const directives = { commit: 'each', 'on-failure': 'rollback' }

  it('keeps under a ref what it takes back, and nothing else is touched', async () => {
    const project = await repository({
      'a.txt': 'one\n',
      'gone.txt': 'x\n',
      'sub/old.txt': 'old\n',
      '.gitignore': 'build\n',
    })
    const head = git(project, 'rev-parse', 'HEAD')
    const { context, events } = await behindChecks(project, { directives, more: crashed })
    expect(nextStep(context.state(), { time: 0, jitter: 0, task: '' })).toEqual({ do: 'roll-back' })
    put(project, { 'a.txt': 'two\n', 'new/dir/$(id).txt': 'n\n', 'build/out': 'o', 'task.md': 'Do it.' })
    git(project, 'rm', '-q', 'gone.txt')
    await rollBack(context)

    const ref = `refs/yoke/rollback/${runId}/1`
    expect(events).toMatchObject([
      { type: 'rollback.done', iteration: 1, ref, files: 3, insertions: 2, deletions: 2 },
    ])
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(project, 'gone.txt'))).toBe(true)
    expect(existsSync(join(project, 'new'))).toBe(false)
    expect(existsSync(join(project, 'build/out'))).toBe(true)
    expect(existsSync(join(project, 'task.md'))).toBe(true)
    expect(existsSync(join(project, '.loop/notes.md'))).toBe(true)
    expect(git(project, 'rev-parse', 'HEAD')).toBe(head)
    expect(context.state().phase).toEqual({ at: 'progress' })

    // As the line that people see says.
    git(project, 'cherry-pick', ref)
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\n')
    expect(existsSync(join(project, 'new/dir/$(id).txt'))).toBe(true)
  })

  it('tells the worker, in the next turn only', async () => {
    const project = await repository()
    const { context } = await behindChecks(project, { directives, more: crashed })
    put(project, { 'a.txt': 'two\n' })
    await rollBack(context)
    const prompt = (n: number) => {
      context.record({ type: 'iteration.finished', iteration: n - 1, progress: `p${n}` })
      context.record({ type: 'iteration.started', iteration: n })
      const step = nextStep(context.state(), { time: 0, jitter: 0, task: '' })
      return step.do === 'run-worker' ? step.prompt : ''
    }
    expect(prompt(2)).toContain(`git diff HEAD refs/yoke/rollback/${runId}/1`)
    expect(prompt(3)).not.toContain('rollback')
  })

  it('does it once, also when it was killed in the middle; and nothing where nothing has changed', async () => {
    const project = await repository()
    const { context, events } = await behindChecks(project, { directives, more: crashed })
    await rollBack(context)
    expect(events).toEqual([{ type: 'rollback.skipped', iteration: 1, reason: 'nothing has changed' }])
    put(project, { 'a.txt': 'two\n' })
    await rollBack(context)
    await rollBack(context)
    expect(events.slice(1).map(({ type }) => type)).toEqual(['rollback.done', 'rollback.done'])
    expect(git(project, 'status', '--porcelain', '--', ':!.loop')).toBe('')
  })

  it("leaves the worker's own commits", async () => {
    const project = await repository()
    const { context } = await behindChecks(project, { directives, more: crashed })
    put(project, { 'a.txt': 'two\n' })
    git(project, 'commit', '-qam', 'own')
    put(project, { 'a.txt': 'three\n' })
    await rollBack(context)
    expect(git(project, 'log', '--format=%s')).toBe('own\nfirst')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\n')
  })
})
