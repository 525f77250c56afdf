/** The text below the heading of a version in a CHANGELOG: `## 1.2.3` or `## 1.2.3 (2026-12-01)`; undefined without one. */
export const entryOf = (changelog: string, version: string): string | undefined => {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.split(/\s/, 1)[0] === version)
  const text = section?.slice(section.indexOf('\n') + 1).trim()
  return text === '' ? undefined : text
}
