import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $, which } from 'zx'
import { binaryName, type Target, targets } from '../../build.ts'
import type { Release } from './release.ts'

type Runner = { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> }

/** Starts every binary that can run on this machine: its version, and all vectors. Says which ones nobody started. */
export const smokeTest = async ({ binaries, version }: Release): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'yoke-smoke-'))
  try {
    for (const target of targets) {
      const runner = await runnerOf(target, folder)
      if (typeof runner === 'string') {
        console.log(`${target}: not started here (${runner})`)
        continue
      }
      const run = $({ quiet: true, env: { ...process.env, ...runner.env } })
      const program = [...runner.command, join(binaries, binaryName(target))]
      const told = (await run`${program} --version`).stdout.trim()
      if (told !== `yoke ${version}`) throw new Error(`${target} says ${told}`)
      const vectors = (await run`${program} vectors`).stdout.trim().split('\n').at(-1)
      console.log(`${target}: ${told}, vectors: ${vectors?.trim()}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const host = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** How to start a binary of a target here, or why not. */
const runnerOf = async (target: Target, folder: string): Promise<Runner | string> => {
  if (target === host) return { command: [] }
  if (target === 'linux-x64-musl' && host === 'linux-x64') return muslRunner(folder)
  if (target === 'linux-arm64' && process.platform === 'linux') return arm64Runner()
  return `this is ${host}`
}

/** musl with the host's libstdc++, and a shim for what that one wants of glibc: Alpine's is not to be had everywhere. */
const muslRunner = async (folder: string): Promise<Runner | string> => {
  const loader = '/lib/ld-musl-x86_64.so.1'
  if (!existsSync(loader)) return 'install musl'
  if ((await which('gcc', { nothrow: true })) === null) return 'install gcc'
  for (const library of ['libstdc++.so.6', 'libgcc_s.so.1']) {
    const found = (await $({ quiet: true })`gcc -print-file-name=${library}`).stdout.trim()
    await copyFile(await realpath(found), join(folder, library))
  }
  const name = 'ld-linux-x86-64.so.2'
  const shim = join(import.meta.dirname, 'musl-shim.c')
  await $({ quiet: true })`gcc -shared -fPIC -nostdlib -Wl,-soname,${name} -o ${join(folder, name)} ${shim}`
  return { command: [loader], env: { LD_LIBRARY_PATH: folder } }
}

const arm64Runner = async (): Promise<Runner | string> => {
  const libraries = '/usr/aarch64-linux-gnu'
  if (!existsSync(libraries)) return 'install libc6-arm64-cross'
  const qemu = (await which('qemu-aarch64-static', { nothrow: true })) ?? undefined
  return qemu === undefined ? 'install qemu-user-static' : { command: [qemu, '-L', libraries] }
}
