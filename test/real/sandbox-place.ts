import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { claudePath } from '../helpers/claude.ts'
import { type TestEngine, testImage } from '../helpers/engines.ts'
import { notes, place, read, reply, roles, say, verdict, write } from './project.ts'

export const claude = (): string => realpathSync(claudePath())

export const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'x' } })

/** Each turn leaves a file; `more` is done first. */
export const scenario = (...more: readonly object[]) => ({
  name: 'in a container',
  repeat: true,
  roles,
  script: {
    worker: [
      [
        reply(read('a.txt')),
        ...more.map((each) => reply(each)),
        reply(write('step-{{turn}}', 'x')),
        reply(notes('KEEP: a.txt\n')),
        reply(say('Went on.')),
      ],
    ],
    judge: [[reply(read('a.txt')), reply(verdict('done', 'Enough.')), reply(say('yes'))]],
  },
})

/** Done after two iterations; the check is true in an image alone. */
export const files = {
  'task.md':
    '---\nchecks: test "$(ls step-* | wc -l)" -ge 2 && test ! -e /usr/bin/unshare\n---\nLeave two files.\n',
  'a.txt': 'kept\n',
}

/** A project for an engine. */
export const start = async (
  engine: TestEngine,
  script: object = scenario(),
  more: { readonly name?: string } = {},
) => {
  const where = await place({ files, scenario: script, ...more })
  return { ...where, env: { ...where.env, ...engine.env } }
}

/** The same, as a worktree of a repository beside it, at a path with everything that a path may have. */
export const startWorktree = async (engine: TestEngine, script = scenario()) => {
  const where = await place({ files: {}, scenario: script, name: 'a "b", c:ünï=é' })
  const main = join(dirname(where.project), 'main')
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', main, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      encoding: 'utf8',
    })
  await mkdir(main)
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'outside')
  git('worktree', 'add', '--quiet', '-b', 'work', where.project)
  for (const [name, text] of Object.entries(files)) await writeFile(join(where.project, name), text)
  return { ...where, env: { ...where.env, ...engine.env }, git }
}

/** Of a run in the image, in which the agent is the one of the host. */
export const flags = (agent = claude(), name = 'claude') => [
  '--trust',
  '--json',
  '--image',
  testImage,
  '--network',
  'host',
  '--mounts',
  `${agent}:/usr/local/bin/${name}:ro`,
]

/** The ids of all containers that the engine knows. */
export const containers = (engine: TestEngine): string => engine.ask('ps', '--all', '--quiet').trim()

/** Looks at the command lines of all processes again and again, for those that hold a text. */
export const watchCommandLines = (text: string) => {
  const seen = new Set<string>()
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const line = commandLineOf(pid)
      if (line.includes(text)) seen.add(line)
    }
  }, 25)
  return () => {
    clearInterval(timer)
    return [...seen]
  }
}

const commandLineOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
