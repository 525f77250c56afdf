import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.ts'
import { yoke, yokeFile } from '../helpers/yoke.ts'
import { wasmIn } from './wasm.ts'

const root = join(import.meta.dirname, '..', '..')

const run = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  yoke(args, { cwd, env: { HOME: cwd, PATH: cwd, ...env } })

describe('the binary', () => {
  it('runs nothing that the folder it is started in tells Bun to run', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'bunfig.toml'), 'preload = ["./stranger.ts"]\n')
    await writeFile(join(folder, 'stranger.ts'), "console.log('a stranger was here')\nexport {}\n")
    expect(await run(folder, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^yoke \d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  })

  it('takes no variables over from the .env of the folder', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'xdg', 'yoke'), { recursive: true })
    await writeFile(join(folder, 'xdg', 'yoke', 'config.yaml'), 'no-such-directive: 1\n')
    await writeFile(join(folder, 'task.md'), 'Do it.\n')
    const variables = { XDG_CONFIG_HOME: join(folder, 'xdg') }
    await writeFile(join(folder, '.env'), `XDG_CONFIG_HOME=${variables.XDG_CONFIG_HOME}\n`)
    const brute = ['brute', 'task.md']
    expect((await run(folder, brute, variables)).stderr).toContain('no-such-directive')
    expect((await run(folder, brute)).stderr).not.toContain('no-such-directive')
  })

  it('adds no WebAssembly to what Bun itself has', () => {
    expect(wasmIn(Buffer.from('const a="AGFzbQEAAAABBgFgAX8Bfw=="'))).toContain(1)
    const runtime = join(root, 'node_modules', 'bun', 'bin', 'bun.exe')
    expect(wasmIn(readFileSync(yokeFile))).toEqual(wasmIn(readFileSync(runtime)))
  })
})

describe('yoke --version --json', () => {
  it('tells what the binary was built from and which CLIs it was tried with', async () => {
    const report = JSON.parse((await run('/', ['--version', '--json'])).stdout)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(report).toEqual({
      name: 'yoke',
      version,
      build: {
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
        modified: expect.any(Boolean),
        target: `${process.platform}-${process.arch}`,
      },
      runtime: expect.stringMatching(/^bun \d+\.\d+\.\d+$/),
      verified: {
        claude: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        opencode: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    })
  })
})
