import { expect, it } from 'vitest'
import { entryOf } from '../../scripts/release/changelog.ts'

const changelog = `# Changelog

## Unreleased

- later

## 1.2.30 (2026-12-01)

- one
### More
- two

## 1.2.3

`

it.each([
  ['1.2.30', '- one\n### More\n- two'],
  ['Unreleased', '- later'],
  ['1.2.3', undefined],
  ['1.2', undefined],
  ['9.9.9', undefined],
])('has for %s what stands below its heading', (version, entry) => {
  expect(entryOf(changelog, version)).toBe(entry)
})
