import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Zippable, zipSync } from 'fflate'
import { $ } from 'zx'
import { binaryName, type Target, targets } from '../../build.ts'
import { type Release, root } from './release.ts'

/** The name of an archive without its ending, and of the folder in it. */
const archiveStem = (version: string, target: Target): string => `yoke-${version}-${target}`

export const archiveName = (version: string, target: Target): string =>
  `${archiveStem(version, target)}.${target.startsWith('windows') ? 'zip' : 'tar.gz'}`

/** Writes an archive a target, with the papers, completions and the manual page, and the install scripts beside them. */
export const pack = async (release: Release): Promise<void> => {
  const { version, folder, binaries, epoch } = release
  for (const name of await readdir(folder)) if (name.endsWith('.tmp')) await rm(join(folder, name))
  const papers = await writePapers(release)
  for (const target of targets) {
    const stem = archiveStem(version, target)
    const content = join(folder, stem)
    await rm(content, { recursive: true, force: true })
    await mkdir(content)
    for (const name of await readdir(papers)) await copyFile(join(papers, name), join(content, name))
    const binary = target.startsWith('windows') ? 'yoke.exe' : 'yoke'
    await copyFile(join(binaries, binaryName(target)), join(content, binary))
    await chmod(join(content, binary), 0o755)
    if (target.startsWith('windows')) await writeZip(folder, stem, epoch)
    else await writeTar(folder, stem, epoch)
    await rm(content, { recursive: true })
    console.log(stem)
  }
  await rm(papers, { recursive: true })
  for (const name of ['install.sh', 'install.ps1']) await writeInstaller(release, name)
}

const writePapers = async ({ folder }: Release): Promise<string> => {
  const papers = join(folder, 'papers')
  await rm(papers, { recursive: true, force: true })
  await mkdir(papers)
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    await copyFile(join(root, name), join(papers, name))
  const printed = {
    'yoke.1': ['man'],
    'yoke.bash': ['completions', 'bash'],
    _yoke: ['completions', 'zsh'],
    'yoke.fish': ['completions', 'fish'],
    'THIRD-PARTY-LICENSES.txt': ['licenses'],
  }
  for (const [name, args] of Object.entries(printed)) {
    const { stdout } = await $({ quiet: true })`npx bun ${join(root, 'src', 'start.ts')} ${args}`
    await writeFile(join(papers, name), stdout)
  }
  return papers
}

/** Order, owners and times are fixed: the same files give the same bytes. */
const writeTar = async (folder: string, stem: string, epoch: number): Promise<void> => {
  const archive = join(folder, `${stem}.tar.gz`)
  // When this script is killed, gzip may live on; it must not write into what the next start makes.
  const temporary = join(folder, `.${stem}.${process.pid}.tmp`)
  await $({
    cwd: folder,
    quiet: true,
  })`tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime=@${epoch} ${stem} | gzip --no-name -9 > ${temporary}`
  await rename(temporary, archive)
}

const writeZip = async (folder: string, stem: string, epoch: number): Promise<void> => {
  const files: Zippable = {}
  for (const name of (await readdir(join(folder, stem))).sort())
    files[`${stem}/${name}`] = [
      await readFile(join(folder, stem, name)),
      // A zip has local times without a zone.
      { mtime: new Date(epoch * 1000 + new Date(epoch * 1000).getTimezoneOffset() * 60_000) },
    ]
  await writeFile(join(folder, `${stem}.zip`), zipSync(files, { level: 9 }))
}

const writeInstaller = async ({ folder, version, url = '' }: Release, name: string): Promise<void> => {
  const text = await readFile(join(import.meta.dirname, name), 'utf8')
  const filled = text.replaceAll('@VERSION@', version).replaceAll('@URL@', url)
  await writeFile(join(folder, name), filled, { mode: 0o755 })
}
