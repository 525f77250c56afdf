import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cacheFolder, ensureRelease } from '../../src/probe/pinned-cli.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const script = (text: string) => `#!/bin/sh\n${text}\n`

/** Puts an `npm` first on PATH that notes its arguments and then runs `body`, with `$folder` as its prefix. */
const withNpm = async (body: string): Promise<{ calls: () => Promise<readonly string[]> }> => {
  const folder = await temporaryFolder()
  const log = join(folder, 'calls')
  const npm = join(folder, 'npm')
  await writeFile(log, '')
  await writeFile(
    npm,
    script(`echo "$@" >> '${log}'
while [ "$1" != --prefix ]; do shift; done
folder=$2; modules=$folder/node_modules
program() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\\n%s\\n' "$2" > "$1"; chmod 755 "$1"; }
native=$modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude
${body}`),
  )
  await chmod(npm, 0o755)
  const before = process.env['PATH']
  process.env['PATH'] = [folder, before].join(delimiter)
  onTestFinished(() => {
    process.env['PATH'] = before
  })
  return { calls: async () => (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '') }
}

const starts = 'echo 2.1.332'

describe('a pinned release', () => {
  it('is installed once, and then taken from the cache', async () => {
    const { calls } = await withNpm(`program "$native" '${starts}'`)
    const cache = await temporaryFolder()
    const told: string[] = []
    const program = await ensureRelease('claude', '2.1.332', cache, () => told.push('installing'))
    expect(program).toBe(
      join(
        cache,
        'claude',
        '2.1.332',
        'node_modules',
        '@anthropic-ai',
        `claude-code-${process.platform}-${process.arch}`,
        'claude',
      ),
    )
    expect(await ensureRelease('claude', '2.1.332', cache, () => told.push('installing'))).toBe(program)
    expect(await calls()).toHaveLength(1)
    expect((await calls())[0]).toContain('@anthropic-ai/claude-code@2.1.332')
    expect(told).toEqual(['installing'])
  })

  it('is a script of Node in old releases', async () => {
    await withNpm(`program "$modules/.bin/claude" '${starts}'`)
    const cache = await temporaryFolder()
    expect(await ensureRelease('claude', '1.0.10', cache)).toBe(
      join(cache, 'claude', '1.0.10', 'node_modules', '.bin', 'claude'),
    )
  })

  it('may be one of OpenCode', async () => {
    const machine = `opencode-${process.platform}-${process.arch}`
    const { calls } = await withNpm(`program "$modules/${machine}/bin/opencode" 'echo 1.18.33'`)
    const cache = await temporaryFolder()
    expect(await ensureRelease('opencode', '1.18.33', cache)).toBe(
      join(cache, 'opencode', '1.18.33', 'node_modules', machine, 'bin', 'opencode'),
    )
    expect((await calls())[0]).toContain('opencode-ai@1.18.33')
  })

  it('may be wanted by several at once', async () => {
    await withNpm(`program "$native" '${starts}'; sleep 0.2`)
    const cache = await temporaryFolder()
    const programs = await Promise.all([1, 2, 3].map(() => ensureRelease('claude', '2.1.332', cache)))
    expect(new Set(programs).size).toBe(1)
    expect(await readdir(join(cache, 'claude'))).toEqual(['2.1.332'])
  })

  it.each([
    [
      'npm fails',
      'echo "npm error network" >&2; exit 1',
      'could not be installed from npm: npm error network',
    ],
    ['nothing is installed', 'mkdir -p "$modules"', 'no program that starts'],
    ['the program does not start', 'program "$native" "exit 1"', 'no program that starts'],
  ])('leaves nothing behind when %s', async (_, body, what) => {
    await withNpm(body)
    const cache = await temporaryFolder()
    await expect(ensureRelease('claude', '2.1.332', cache)).rejects.toThrow(
      expect.objectContaining({ code: 'E_INSTALL', message: expect.stringContaining(what) }),
    )
    expect(await readdir(join(cache, 'claude'))).toEqual([])
  })

  it('takes a program that a machine of another kind left in the cache for none', async () => {
    await withNpm(`program "$native" '${starts}'`)
    const cache = await temporaryFolder()
    await mkdir(join(cache, 'claude', '2.1.332', 'node_modules', '@anthropic-ai', 'claude-code-plan9-mips'), {
      recursive: true,
    })
    await expect(ensureRelease('claude', '2.1.332', cache)).rejects.toThrow(
      expect.objectContaining({ code: 'E_INSTALL', fix: 'Remove this folder and try again.' }),
    )
  })

  it.each(['latest', '2.1', '../../x', ''])('is no other thing: %j', async (version) => {
    await expect(ensureRelease('claude', version, '/nowhere')).rejects.toThrow(
      'is not the exact version of a release',
    )
  })
})

describe('the cache', () => {
  it.each([
    [{ XDG_CACHE_HOME: '/c', HOME: '/h' }, join('/c', 'yoke')],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, join('/h', '.cache', 'yoke')],
    [{ HOME: '/h' }, join('/h', '.cache', 'yoke')],
  ])('of %j is %s', (env, folder) => {
    expect(cacheFolder(env)).toBe(folder)
  })
})
