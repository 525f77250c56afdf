import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadTask, userConfigFile } from '../../src/task/load.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

const projectWith = async (files: Files) => {
  const cwd = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), content)
  }
  return cwd
}

/** The project folder is the home folder too, so that no config of the machine is read. */
const load = async (files: Files, options: { file?: string; flags?: object; env?: object } = {}) => {
  const cwd = await projectWith(files)
  const { file = 'task.md', flags = {}, env = {} } = options
  const task = await loadTask({ file, cwd, flags: { ...flags }, env: { HOME: cwd, ...env } })
  return { cwd, task }
}

const userConfig = '.config/yoke/config.yaml'

describe('a task', () => {
  it('is read with its text, its prompt and where it lies', async () => {
    const text = '---\nmodel: opus\n---\n\nDo it.\n'
    const { cwd, task } = await load({ 'tasks/a b.md': text }, { file: 'tasks/a b.md' })
    expect(task).toMatchObject({ file: join(cwd, 'tasks/a b.md'), text, prompt: '\nDo it.\n' })
    expect(task.directives.model).toBe('opus')
    expect(task.origin.model).toBe('front matter')
  })

  it('may begin with a byte order mark and lie behind a link', async () => {
    const cwd = await projectWith({ 'real.md': '\uFEFF---\nmodel: opus\n---\nDo it.' })
    await symlink('real.md', join(cwd, 'task.md'))
    const task = await loadTask({ file: 'task.md', cwd, flags: {}, env: { HOME: cwd } })
    expect(task.text.startsWith('---')).toBe(true)
    expect(task.directives.model).toBe('opus')
  })

  it('takes directives from flags, front matter, project and user, in that order', async () => {
    const { task } = await load(
      {
        'task.md': '---\nmax-iterations: 2\nmax-cycles: 2\n---\nDo it.',
        '.loop/config.yaml': 'max-cycles: 3\nstuck-after: 3\n',
        [userConfig]: 'stuck-after: 4\nmodel: opus\n',
      },
      { flags: { 'max-iterations': 1 } },
    )
    expect(task.directives).toMatchObject({
      'max-iterations': 1,
      'max-cycles': 2,
      'stuck-after': 3,
      model: 'opus',
    })
    expect(task.origin).toMatchObject({
      'max-iterations': 'flag',
      'max-cycles': 'front matter',
      'stuck-after': 'project config',
      model: 'user config',
      agent: 'default',
    })
  })

  it.each([
    ['1', false],
    ['true', false],
    ['0', true],
    ['', true],
    ['off', true],
  ])('YOKE_DISABLE_SESSION_TRIM=%j leaves trim at %j', async (value, trim) => {
    const { task } = await load(
      { 'task.md': '---\ntrim: on\n---\nDo it.' },
      { env: { YOKE_DISABLE_SESSION_TRIM: value } },
    )
    expect(task.directives.trim).toBe(trim)
  })

  it('comes with the own prompt of its judge, from the project or from home', async () => {
    const files = { 'task.md': 'Do it.', 'judges/a.md': 'Be strict.\n' }
    const { task } = await load(files, { flags: { judge: 'judges/a.md' } })
    expect(task.judgePrompt).toBe('Be strict.\n')
    const home = await load(files, { flags: { judge: '~/judges/a.md' } })
    expect(home.task.judgePrompt).toBe('Be strict.\n')
    expect((await load(files)).task).not.toHaveProperty('judgePrompt')
  })

  it('has absolute sources of mounts', async () => {
    const mounts = ['data:ro', '~/x:/x', '/srv']
    const { cwd, task } = await load(
      { 'task.md': 'Do it.' },
      { flags: { image: 'x', mounts }, env: { HOME: '/home/me' } },
    )
    expect(task.directives.mounts.map(({ source }) => source)).toEqual([
      join(cwd, 'data'),
      '/home/me/x',
      '/srv',
    ])
  })
})

describe('a task that is refused', () => {
  const large = 'x'.repeat(1024 * 1024 + 1)
  it.each([
    ['is missing', {}, 'E_TASK_MISSING', /task\.md does not exist/],
    ['is empty', { 'task.md': '' }, 'E_TASK_EMPTY', /is empty/],
    ['is blank', { 'task.md': '\uFEFF \r\n\n' }, 'E_TASK_EMPTY', /is empty/],
    ['has no prompt', { 'task.md': '---\nmodel: x\n---\n \n' }, 'E_TASK_NO_PROMPT', /no prompt/],
    ['is a folder', { 'task.md/x': '' }, 'E_TASK_DIRECTORY', /is a folder/],
    ['is Latin-1', { 'task.md': Buffer.from('Näh', 'latin1') }, 'E_TASK_ENCODING', /not UTF-8/],
    ['is UTF-16', { 'task.md': Buffer.from('\uFEFFDo it.', 'utf16le') }, 'E_TASK_ENCODING', /not UTF-8/],
    ['holds NUL', { 'task.md': 'Do\0it.' }, 'E_TASK_ENCODING', /not UTF-8/],
    ['is too large', { 'task.md': large }, 'E_TASK_TOO_LARGE', /1048577 bytes/],
    ['has bad YAML', { 'task.md': '---\na: [\n---\nDo it.' }, 'E_TASK_YAML', /^task\.md:\d+:\d+: /],
    ['is not closed', { 'task.md': '---\nDo it.' }, 'E_TASK_FRONT_MATTER', /closes/],
  ] as const)('because it %s', async (_, files, code, message) => {
    await expect(load(files)).rejects.toMatchObject({
      name: 'YokeError',
      code,
      exit: 2,
      message: expect.stringMatching(message),
      fix: expect.stringMatching(/^[A-Z`].*\.$/),
    })
  })

  it('because its folder is a file', async () => {
    await expect(load({ a: '' }, { file: 'a/task.md' })).rejects.toMatchObject({
      code: 'E_TASK_MISSING',
      exit: 2,
    })
  })

  it('because it is no regular file', async () => {
    await expect(load({}, { file: '/dev/null' })).rejects.toMatchObject({
      code: 'E_TASK_NOT_A_FILE',
      exit: 2,
    })
  })

  it.skipIf(process.getuid?.() === 0)('because it may not be read', async () => {
    const cwd = await projectWith({ 'task.md': 'Do it.' })
    await chmod(join(cwd, 'task.md'), 0)
    await expect(loadTask({ file: 'task.md', cwd, flags: {}, env: { HOME: cwd } })).rejects.toMatchObject({
      code: 'E_TASK_UNREADABLE',
      exit: 2,
    })
  })

  it('because a link goes round in a circle', async () => {
    const cwd = await projectWith({})
    await symlink('task.md', join(cwd, 'task.md'))
    await expect(loadTask({ file: 'task.md', cwd, flags: {}, env: { HOME: cwd } })).rejects.toMatchObject({
      code: 'E_TASK_UNREADABLE',
      message: expect.stringContaining('ELOOP'),
    })
  })
})

describe('a config or a prompt of the judge that is refused', () => {
  const task = { 'task.md': 'Do it.' }
  it.each([
    [
      'an unknown key',
      { '.loop/config.yaml': '\nmodell: x\n' },
      {},
      'E_UNKNOWN_DIRECTIVE',
      /\.loop\/config\.yaml:2/,
    ],
    ['bad YAML', { '.loop/config.yaml': 'a: [\n' }, {}, 'E_TASK_YAML', /^\.loop\/config\.yaml:/],
    ['a list', { [userConfig]: '- a\n' }, {}, 'E_TASK_YAML', /config\.yaml:1:1: .*mapping/],
    ['a folder', { '.loop/config.yaml/x': '' }, {}, 'E_CONFIG_DIRECTORY', /config file/],
    ['no UTF-8', { [userConfig]: Buffer.from('# ä', 'latin1') }, {}, 'E_CONFIG_ENCODING', /config\.yaml/],
    ['no prompt file', {}, { judge: 'j.md' }, 'E_JUDGE_MISSING', /j\.md does not exist/],
    ['an empty prompt file', { 'j.md': ' \n' }, { judge: 'j.md' }, 'E_JUDGE_EMPTY', /empty/],
  ] as const)('%s', async (_, files, flags, code, message) => {
    await expect(load({ ...task, ...files }, { flags })).rejects.toMatchObject({
      code,
      exit: 2,
      message: expect.stringMatching(message),
    })
  })

  it('an empty config says nothing', async () => {
    const { task: loaded } = await load({ ...task, '.loop/config.yaml': '# nothing\n', [userConfig]: '' })
    expect(new Set(Object.values(loaded.origin))).toEqual(new Set(['default']))
  })
})

describe.skipIf(process.platform === 'win32')("the user's config", () => {
  it.each([
    ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x', HOME: '/h' }, 'linux', '/x/yoke/config.yaml'],
    [
      'a relative one is ignored',
      { XDG_CONFIG_HOME: 'x', HOME: '/h' },
      'linux',
      '/h/.config/yoke/config.yaml',
    ],
    ['an empty one too', { XDG_CONFIG_HOME: '', HOME: '/h' }, 'darwin', '/h/.config/yoke/config.yaml'],
    ['home', { HOME: '/h', APPDATA: '/a' }, 'linux', '/h/.config/yoke/config.yaml'],
    ['Windows', { USERPROFILE: '/u', APPDATA: '/a' }, 'win32', '/a/yoke/config.yaml'],
    ['Windows without APPDATA', { USERPROFILE: '/u' }, 'win32', '/u/.config/yoke/config.yaml'],
  ])('%s', (_, env, platform, expected) => {
    expect(userConfigFile(env, platform)).toBe(expected)
  })
})
