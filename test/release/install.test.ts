import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Language, Parser } from 'web-tree-sitter'
import { temporaryFolder } from '../helpers/temporary.ts'

const scripts = join(import.meta.dirname, '..', '..', 'scripts', 'release')
const target = `linux-${process.arch}`

/** A release of one archive, whose program is a script, behind a file server on loopback. */
const published = async (program = '#!/bin/sh\necho yoke 9.8.7\n') => {
  const folder = await temporaryFolder()
  const stem = `yoke-9.8.7-${target}`
  mkdirSync(join(folder, stem))
  writeFileSync(join(folder, stem, 'yoke'), program)
  execFileSync('tar', ['-czf', `${stem}.tar.gz`, stem], { cwd: folder })
  const archive = join(folder, `${stem}.tar.gz`)
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  other.tar.gz\n${sum}  ${stem}.tar.gz\n`)
  const text = readFileSync(join(scripts, 'install.sh'), 'utf8').replaceAll('@VERSION@', '9.8.7')
  const server = createServer((request, response) => {
    const file = join(folder, request.url ?? '')
    if (existsSync(file)) response.end(readFileSync(file))
    else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { folder, archive, script: text.replaceAll('@URL@', `${url}/`), close: () => server.close() }
}

type Ended = { readonly code: number | null; readonly output: string }

/** Runs the script from standard input, as a pipe from curl would, with `tools` as the whole PATH. */
const install = (
  shell: readonly string[],
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) =>
  new Promise<Ended>((resolve) => {
    const [file = '', ...more] = shell
    const child = spawn(file, [...more, '-s', '--', ...args], { env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => resolve({ code, output }))
    child.stdin.end(script)
  })

const found = (name: string) =>
  ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find((file) => existsSync(file))

/** A PATH with the named programs only. */
const pathOf = async (...names: readonly string[]) => {
  const folder = await temporaryFolder()
  for (const name of names) {
    const file = found(name)
    if (file !== undefined)
      writeFileSync(join(folder, name), `#!/bin/sh\nexec ${file} "$@"\n`, { mode: 0o755 })
  }
  return folder
}

const basics = [
  ...['uname', 'grep', 'ldd', 'mkdir', 'mktemp', 'cut', 'gzip', 'tar', 'chmod', 'mv', 'rm', 'cat', 'sh'],
]

const shells = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(([name = '']) => found(name))

describe.skipIf(process.platform !== 'linux')('install.sh', () => {
  describe.each(shells)('in %s', (...shell) => {
    it.each([
      ['curl', 'sha256sum'],
      ['wget', 'openssl'],
    ])('installs with %s and %s for the user, again too, and uninstalls', async (...tools) => {
      const { script, close } = await published()
      const home = await temporaryFolder()
      const env = { HOME: home, PATH: await pathOf(...basics, ...tools) }
      const command = [found(shell[0] ?? '') ?? '', ...shell.slice(1)]
      const bin = join(home, '.local', 'bin')
      for (const _ of ['first', 'again']) {
        const { code, output } = await install(command, script, [], env)
        expect(output).toContain(`installed ${bin}/yoke`)
        expect(output).toContain(`export PATH="${bin}:$PATH"`)
        expect(code).toBe(0)
        expect(readdirSync(bin)).toEqual(['yoke'])
        expect(execFileSync(join(bin, 'yoke')).toString()).toBe('yoke 9.8.7\n')
      }
      const { code } = await install(command, script, ['--uninstall'], env)
      expect(code).toBe(0)
      expect(readdirSync(bin)).toEqual([])
      close()
    })
  })

  const shell = shells[0]?.map((part, index) => (index === 0 ? (found(part) ?? part) : part)) ?? []
  const tools = [...basics, 'curl', 'sha256sum']

  const damagedArchive = ({ folder, archive }: { readonly folder: string; readonly archive: string }) => {
    writeFileSync(archive, 'x')
    const sum = createHash('sha256').update('x').digest('hex')
    writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  yoke-9.8.7-${target}.tar.gz\n`)
  }

  it.each<[string, string, (release: Awaited<ReturnType<typeof published>>) => void]>([
    [
      'an archive that was changed',
      'is not what SHA256SUMS says',
      ({ archive }) => writeFileSync(archive, 'x'),
    ],
    ['an archive that is missing', 'cannot be downloaded', ({ archive }) => rmSync(archive)],
    ['an archive that is no archive', 'cannot be unpacked', damagedArchive],
    ['sums that are missing', 'cannot be downloaded', ({ folder }) => rmSync(join(folder, 'SHA256SUMS'))],
    [
      'a machine without an archive',
      'there is no yoke-9.8.7',
      ({ folder }) => writeFileSync(join(folder, 'SHA256SUMS'), ''),
    ],
  ])('leaves what was installed before alone: %s', async (_what, sentence, damage) => {
    const release = await published()
    const home = await temporaryFolder()
    const bin = join(home, 'with space')
    mkdirSync(bin)
    writeFileSync(join(bin, 'yoke'), 'the old one')
    damage(release)
    const env = { HOME: home, PATH: await pathOf(...tools) }
    const { code, output } = await install(shell, release.script, ['--to', bin], env)
    expect(output.split('\n')).toEqual([
      expect.stringContaining('yoke 9.8.7 for'),
      expect.stringMatching(new RegExp(`^install\\.sh: .*${sentence}`)),
      '',
    ])
    expect(code).toBe(1)
    expect(readdirSync(bin)).toEqual(['yoke'])
    expect(readFileSync(join(bin, 'yoke'), 'utf8')).toBe('the old one')
    release.close()
  })

  it('installs no program that does not start here', async () => {
    const { script, close } = await published('#!/bin/sh\necho no such library >&2\nexit 127\n')
    const home = await temporaryFolder()
    const { code, output } = await install(shell, script, [], { HOME: home, PATH: await pathOf(...tools) })
    expect(output).toMatch(/no such library\n.*does not start here: nothing was installed/)
    expect(code).toBe(1)
    expect(readdirSync(join(home, '.local', 'bin'))).toEqual([])
    close()
  })

  it('does nothing when the download of the script itself was cut off', async () => {
    const { script, close } = await published()
    const home = await temporaryFolder()
    const cut = script.slice(0, script.lastIndexOf('main "$@"'))
    await install(shell, cut, [], { HOME: home, PATH: await pathOf(...tools) })
    expect(readdirSync(home)).toEqual([])
    close()
  })

  it('puts no program into a folder of its name, and takes none away', async () => {
    const { script, close } = await published()
    const bin = await temporaryFolder()
    mkdirSync(join(bin, 'yoke'))
    const env = { HOME: bin, PATH: await pathOf(...tools) }
    for (const more of [[], ['--uninstall']]) {
      const { code, output } = await install(shell, script, ['--to', bin, ...more], env)
      expect(output).toContain(`${bin}/yoke is a folder`)
      expect(code).toBe(1)
    }
    expect(readdirSync(join(bin, 'yoke'))).toEqual([])
    close()
  })

  it('takes away what a killed installer left, and nothing of one that works', async () => {
    const { script, close } = await published()
    const bin = await temporaryFolder()
    const [left, works] = [`.yoke-install.${2 ** 22 + 1}.abc`, `.yoke-install.${process.pid}.abc`]
    for (const name of [left, works]) mkdirSync(join(bin, name))
    const env = { HOME: bin, PATH: await pathOf(...tools) }
    expect((await install(shell, script, ['--to', bin], env)).code).toBe(0)
    expect(readdirSync(bin).sort()).toEqual([works, 'yoke'])
    close()
  })

  it('installs nowhere without a home, until a folder is named', async () => {
    const { script, close } = await published()
    const { code, output } = await install(shell, script, [], { PATH: await pathOf(...tools) })
    expect(output).toBe('install.sh: HOME is not set: name a folder with --to\n')
    expect(code).toBe(1)
    close()
  })

  it.each([
    [['--nope'], 'unknown option --nope'],
    [['--to'], '--to wants a value'],
  ])('says what is wrong with %j', async (args, sentence) => {
    const { script, close } = await published()
    const { code, output } = await install(shell, script, args, {
      HOME: '/nowhere',
      PATH: await pathOf(...tools),
    })
    expect(output).toContain(sentence)
    expect(code).toBe(1)
    close()
  })

  it.skipIf(found('shellcheck') === undefined)('passes shellcheck', () => {
    execFileSync('shellcheck', [join(scripts, 'install.sh')])
  })
})

describe('install.ps1', () => {
  const modules = join(import.meta.dirname, '..', '..', 'node_modules')
  let parser: Parser
  beforeAll(async () => {
    await Parser.init()
    const grammar = join(modules, 'tree-sitter-powershell', 'tree-sitter-powershell.wasm')
    parser = new Parser().setLanguage(await Language.load(grammar))
  })

  const hasError = (text: string) => parser.parse(text)?.rootNode.hasError

  it('is PowerShell', () => {
    const text = readFileSync(join(scripts, 'install.ps1'), 'utf8')
    expect(hasError(text)).toBe(false)
    expect(hasError(text.replace('if ($found', 'if (($found'))).toBe(true)
  })
})
