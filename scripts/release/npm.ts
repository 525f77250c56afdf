import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'zx'
import { binaryName, define, embedded, type Target, targets } from '../../build.ts'
import { type Release, root, thisRelease } from './release.ts'

/** Writes and packs a package a platform, and the main one, which names them all and is the library. */
export const packNpm = async (release: Release): Promise<void> => {
  const folder = join(release.folder, 'npm')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const platforms = await Promise.all(targets.map((target) => writePlatform(release, folder, target)))
  const main = await writeMain(release, folder)
  await $({ cwd: root, stdio: 'inherit' })`npx publint --strict ${main}`
  for (const path of [...platforms, main]) {
    await $({ cwd: folder, quiet: true })`npm pack --silent ${path}`
    console.log(path.slice(folder.length + 1))
  }
  const packed = join(folder, `yoke-${release.version}.tgz`)
  await $({ cwd: root, stdio: 'inherit' })`npx attw ${packed} --profile esm-only`
}

/** What npm compares with the machine: `os`, `cpu` and `libc` of package.json. */
const machineOf = (target: Target) => {
  const [system = '', cpu = '', libc] = target.split('-')
  return {
    os: [system === 'windows' ? 'win32' : system],
    cpu: [cpu],
    ...(system === 'linux' ? { libc: [libc ?? 'glibc'] } : {}),
  }
}

const packageOf = (target: Target): string => `yoke-${target}`

/** The packages of the platforms, and behind them the main one, which names them all. */
export const packageNames: readonly string[] = [...targets.map(packageOf), 'yoke']

const writePlatform = async (
  { binaries, version }: Release,
  folder: string,
  target: Target,
): Promise<string> => {
  const place = join(folder, packageOf(target))
  const program = target.startsWith('windows') ? 'yoke.exe' : 'yoke'
  await mkdir(join(place, 'bin'), { recursive: true })
  await copyFile(join(binaries, binaryName(target)), join(place, 'bin', program))
  await chmod(join(place, 'bin', program), 0o755)
  await copyFile(join(root, 'LICENSE'), join(place, 'LICENSE'))
  await writeFile(
    join(place, 'README.md'),
    `The binary of yoke ${version} for ${target}. Install the package \`yoke\`.\n`,
  )
  await writeJson(join(place, 'package.json'), {
    name: packageOf(target),
    version,
    description: `The binary of yoke for ${target}`,
    license: 'MIT',
    ...machineOf(target),
    files: ['bin'],
    // Yarn keeps packages zipped; a program in an archive cannot be started.
    preferUnplugged: true,
  })
  return place
}

/** Writes the main package, unpacked, into `folder`; resolves to its place. */
export const writeMain = async ({ version }: Pick<Release, 'version'>, folder: string): Promise<string> => {
  const place = join(folder, 'yoke')
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await mkdir(join(place, 'bin'), { recursive: true })
  await copyFile(join(import.meta.dirname, 'npm-launcher.js'), join(place, 'bin', 'yoke.js'))
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md'])
    await copyFile(join(root, name), join(place, name))
  await cp(join(root, 'vectors'), join(place, 'vectors'), { recursive: true })
  await bundle('src/index.ts', join(place, 'lib'))
  await bundle('src/start.ts', join(place, 'cli'))
  await writeTypes(join(place, 'lib'))
  await writeJson(join(place, 'package.json'), {
    name: manifest.name,
    version,
    description: manifest.description,
    license: manifest.license,
    type: 'module',
    bin: { yoke: 'bin/yoke.js' },
    exports: {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './vectors/*': './vectors/*',
      './package.json': './package.json',
    },
    types: './lib/index.d.ts',
    engines: manifest.engines,
    files: ['bin', 'cli', 'lib', 'vectors', 'CHANGELOG.md'],
    // The declarations name types of Node.
    dependencies: { ...manifest.dependencies, '@types/node': await installedVersion('@types/node') },
    optionalDependencies: Object.fromEntries(targets.map((target) => [packageOf(target), version])),
  })
  return place
}

/** For Node, Deno and Bun alike; the packages that yoke stands on come from npm. */
const bundle = async (entry: string, outdir: string): Promise<void> => {
  const result = await Bun.build({
    entrypoints: [join(root, entry)],
    outdir,
    target: 'node',
    format: 'esm',
    packages: 'external',
    splitting: true,
    define: define('node'),
    plugins: embedded,
  })
  if (!result.success) throw new AggregateError(result.logs, `${entry} could not be bundled`)
}

/** The declarations of the library. TypeScript leaves the names of sources in them. */
const writeTypes = async (outdir: string): Promise<void> => {
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'src']
  const config = join(root, 'scripts', 'release', 'tsconfig.types.json')
  await $({ cwd: root, quiet: true })`npx tsc --project ${config} ${options} --outDir ${outdir}`
  const files = (await $({ cwd: outdir, quiet: true })`find . -name ${'*.d.ts'}`).stdout.trim().split('\n')
  for (const file of files) {
    const text = await readFile(join(outdir, file), 'utf8')
    await writeFile(
      join(outdir, file),
      text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'),
    )
  }
  const index = join(outdir, 'index.d.ts')
  await writeFile(index, `/// <reference types="node" />\n${await readFile(index, 'utf8')}`)
}

const installedVersion = async (name: string): Promise<string> =>
  JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')).version

const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`)

if (import.meta.main) await writeMain(await thisRelease(undefined), process.argv[2] ?? 'dist/npm')
