import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Release, root } from './release.ts'
import { downloads } from './sums.ts'

type Publish = (release: Release) => Promise<void>

/** What leaves this machine; each only when it is named. */
export const publishable: Readonly<Record<string, Publish>> = {
  tag: async ({ version, commit }) => {
    const run = $({ cwd: root, stdio: 'inherit' })
    await run`git tag --annotate ${`v${version}`} --message ${`yoke ${version}`} ${commit}`
    await run`git push origin ${`refs/tags/v${version}`}`
  },
  upload: async (release) => {
    const files = [...(await downloads(release)), 'SHA256SUMS'].map((name) => join(release.folder, name))
    const notes = join(release.folder, 'RELEASE-NOTES.md')
    await $({
      cwd: root,
      stdio: 'inherit',
    })`gh release create v${release.version} --verify-tag --notes-file ${notes} ${files}`
  },
  npm: async ({ folder }) => {
    // The packages of the platforms come first: the main one names them.
    const names = (await readdir(join(folder, 'npm'))).filter((name) => name.endsWith('.tgz')).sort()
    const main = names.filter((name) => /^yoke-\d/.test(name))
    for (const name of [...names.filter((each) => !main.includes(each)), ...main])
      await $({ cwd: join(folder, 'npm'), stdio: 'inherit' })`npm publish --provenance ${`./${name}`}`
  },
}

export const publish = async (name: string, release: Release): Promise<void> => {
  console.log(`publish ${name}`)
  await publishable[name]?.(release)
}
