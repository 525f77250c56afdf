import { join } from 'node:path'
import { $ } from 'zx'
import { packageNames } from './npm.ts'
import { commitOfTag, type Release, root } from './release.ts'
import { downloads } from './sums.ts'

type Publish = (release: Release) => Promise<void>

/** What leaves this machine, in this order and each only when it is named; what is out already is passed over. */
export const publishable: Readonly<Record<string, Publish>> = {
  tag: async ({ version, commit }) => {
    const run = $({ cwd: root, stdio: 'inherit' })
    if ((await commitOfTag(version)) === undefined)
      await run`git tag --annotate ${`v${version}`} --message ${`yoke ${version}`} ${commit}`
    await run`git push origin ${`refs/tags/v${version}`}`
  },
  upload: async (release) => {
    const files = [...(await downloads(release)), 'SHA256SUMS'].map((name) => join(release.folder, name))
    const tag = `v${release.version}`
    const run = $({ cwd: root, stdio: 'inherit' })
    if ((await $({ cwd: root, quiet: true, nothrow: true })`gh release view ${tag}`).exitCode === 0)
      await run`gh release upload ${tag} --clobber ${files}`
    else {
      const notes = join(release.folder, 'RELEASE-NOTES.md')
      await run`gh release create ${tag} --verify-tag --notes-file ${notes} ${files}`
    }
  },
  npm: async ({ folder, version }) => {
    // npm states where a package was built in jobs of GitHub and GitLab only.
    const provenance = process.env['GITHUB_ACTIONS'] || process.env['GITLAB_CI'] ? ['--provenance'] : []
    for (const name of packageNames) {
      const there = await $({ quiet: true, nothrow: true })`npm view ${`${name}@${version}`} version`
      if (there.exitCode === 0 && there.stdout.trim() === version) console.log(`${name} is there already`)
      else
        await $({
          cwd: join(folder, 'npm'),
          stdio: 'inherit',
        })`npm publish --ignore-scripts ${provenance} ${`./${name}-${version}.tgz`}`
    }
  },
}

export const publish = async (name: string, release: Release): Promise<void> => {
  console.log(`publish ${name}`)
  await publishable[name]?.(release)
}
