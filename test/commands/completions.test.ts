import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sessionFolder } from '../../src/agents/claude/session-file.ts'
import { complete } from '../../src/commands/complete.ts'
import { describeCommands } from '../../src/commands/describe.ts'
import { manPage } from '../../src/commands/man.ts'
import { commands } from '../../src/commands.ts'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke, yokeFile } from '../helpers/yoke.ts'

const shapes = await describeCommands()
const known = {
  commands: shapes,
  summaries: Object.fromEntries(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
  runs: ['20261201-090000-aaaa'],
  sessions: ['ses_dcfd36a7bffe', '1c6e3f7a-1111'],
}

const values = (...words: readonly string[]): readonly string[] | 'files' => {
  const found = complete(words, known)
  return found.kind === 'files' ? 'files' : found.words.map(({ value }) => value)
}

describe('completion', () => {
  it.each<[readonly string[], readonly string[] | 'files']>([
    [['sta'], ['status']],
    [['--v'], ['--version']],
    [['brute', 'ta'], 'files'],
    [['brute', 'task.md', ''], 'files'],
    [['saga', 'goal.md', ''], []],
    [
      ['brute', '--agent', ''],
      ['claude', 'opencode'],
    ],
    [['brute', '--agent=o'], ['--agent=opencode']],
    [['brute', '--agent', '=', 'o'], ['opencode']],
    [
      ['brute', '--agent', '='],
      ['claude', 'opencode'],
    ],
    [['brute', '--model', 'x', 'ta'], 'files'],
    [['brute', '--max-it'], ['--max-iterations']],
    [
      ['brute', '--judge', 'o'],
      ['on', 'off'],
    ],
    [['brute', '--judge', 'p'], 'files'],
    [['logs', ''], ['20261201-090000-aaaa']],
    [['logs', '-f', ''], ['20261201-090000-aaaa']],
    [['completions', 'z'], ['zsh']],
    [['trim', ''], known.sessions],
    [['restore', 'ses'], ['ses_dcfd36a7bffe']],
    [['inspect', './fil'], 'files'],
    [['nothing', ''], []],
  ])('of %j gives %j', (words, expected) => expect(values(...words)).toEqual(expected))
})

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
for (const shell of ['zsh', 'fish'])
  if (!has(shell))
    console.warn(`There is no ${shell}: its completions are not tested. apt-get install ${shell}`)

/** A folder with a task and a run, and yoke on PATH. */
const place = async () => {
  const cwd = await temporaryFolder()
  mkdirSync(join(cwd, 'bin'))
  symlinkSync(yokeFile, join(cwd, 'bin/yoke'))
  mkdirSync(join(cwd, '.loop/runs/20261201-090000-aaaa'), { recursive: true })
  const sessions = sessionFolder(cwd, { HOME: cwd })
  mkdirSync(sessions, { recursive: true })
  writeFileSync(join(sessions, '1c6e3f7a-1111.jsonl'), '')
  writeFileSync(join(cwd, 'task.md'), '')
  const env = { PATH: `${join(cwd, 'bin')}:/usr/bin:/bin`, HOME: cwd, TERM: 'xterm', LANG: 'C.UTF-8' }
  const run = async (shell: string, args: readonly string[]) =>
    (await promisify(execFile)(shell, [...args], { cwd, env, timeout: 60_000 })).stdout
  return { cwd, run }
}

const danger = '$(touch pwned)'

describe('the completions in the shells themselves', { timeout: 90_000 }, () => {
  it.skipIf(!has('bash'))('bash', async () => {
    const at = await place()
    const script = `source <(yoke completions bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _yoke 2>/dev/null; echo "\${COMPREPLY[*]}"; }
      try yoke sta; try yoke brute --agent o; try yoke logs ''; try yoke brute ta; try yoke logs '${danger}'; try yoke trim 1c
      ls pwned 2>/dev/null; complete -p yoke`
    expect((await at.run('bash', ['--norc', '-c', script])).split('\n')).toEqual([
      'status',
      'opencode',
      '20261201-090000-aaaa',
      '',
      '',
      '1c6e3f7a-1111',
      'complete -o default -F _yoke yoke',
      '',
    ])
  })

  it.skipIf(!has('fish'))('fish', async () => {
    const at = await place()
    const asked = ['yoke sta', 'yoke brute --agent ', 'yoke logs ', 'yoke brute ta', `yoke logs "${danger}`]
    const script = [
      'yoke completions fish | source',
      ...asked.map((words) => `complete -C '${words}'`),
      'ls',
    ].join('\n')
    const out = await at.run('fish', ['--no-config', '-c', script])
    expect(out).toBe(
      'status\tShow the state of a run\nclaude\nopencode\n20261201-090000-aaaa\ta run of this project\ntask.md\nbin\ntask.md\n',
    )
  })

  it.skipIf(!has('zsh'))('zsh', async () => {
    const at = await place()
    const script = `zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -D; source <(yoke completions zsh); echo REA""DY'
      zpty -r -m z out '*READY*'
      press() {
        zpty -w -n z "$1"$'\\t'
        zpty -r -m z out "*$2*"
        zpty -w -n z $'\\e#\\n'
      }
      press 'yoke sta' tus
      press 'yoke brute --agent o' pencode
      press 'yoke brute ta' sk.md
      press 'yoke logs ' 0000-aaaa
      zpty -w z 'fc -ln 1 > history.txt; echo WRIT""TEN'
      zpty -r -m z out '*WRITTEN*'
      zpty -d z`
    await at.run('zsh', ['-f', '-c', script])
    const typed = execFileSync('cat', [join(at.cwd, 'history.txt')], { encoding: 'utf8' })
    expect(typed.split('\n').map((line) => line.replace(/^#/, '').trim())).toEqual(
      expect.arrayContaining([
        'yoke status',
        'yoke brute --agent opencode',
        'yoke brute task.md',
        'yoke logs 20261201-090000-aaaa',
      ]),
    )
  })
})

describe('the manual', () => {
  const page = manPage(shapes, '1.2.3')

  it('has every command with its own options, told once', () => {
    for (const { name } of shapes) expect(page).toContain(`.SS yoke ${name}`)
    expect(page.match(/^\.B \\-\\-max\\-iterations/gm)).toHaveLength(1)
    expect(page).toContain('.B \\-\\-watch'.replace('.B ', '.B \\-w, '))
  })

  it('has no line that man would take for a request of its own', () => {
    const requests = new Set(['TH', 'SH', 'SS', 'TP', 'B', 'I', 'BR', 'PP', 'nf', 'fi', 'RS', 'RE'])
    const strange = page
      .split('\n')
      .filter((line) => /^[.']/.test(line) && !requests.has(line.match(/^\.(\w+)/)?.[1] ?? ''))
    expect(strange).toEqual([])
  })

  it.skipIf(!has('mandoc'))('is clean for mandoc', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'yoke.1'), page)
    const lint = await promisify(execFile)('mandoc', ['-T', 'lint', '-W', 'error', join(cwd, 'yoke.1')])
    expect(lint.stdout).toBe('')
  })

  it('comes out of the binary', async () => {
    const run = await yoke(['man'], { cwd: '/', env: { PATH: '/usr/bin:/bin' } })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/^\.TH YOKE 1 /)
  })
})

describe('every command', () => {
  it('says the same of itself in the list and in its own help, and has an example', () => {
    for (const { name, usage, examples } of shapes) {
      expect(commands[name]?.usage).toBe(usage)
      expect(examples.length, name).toBeGreaterThan(0)
    }
  })
})
