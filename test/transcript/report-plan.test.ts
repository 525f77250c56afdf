import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The public reports about stored sessions that were read before the trim was built: one for each thing that goes wrong. Numbers
// without a repository are issues of anthropics/claude-code, those with dots are entries of its changelog. Left out is what no
// test can show: disk that another agent fills (openai/codex#28866), a cache that the provider lost (#87966), a CLAUDE.md that is
// written anew for every run (#65917; yoke puts what changes into the prompt), agents that edit transcripts (changelog 2.1.205).
const reports: Readonly<Record<string, readonly string[]>> = {
  'a session that is not found': [
    '#33912 #1967 #77732 2.1.187 #68525 #81603 #43202 #57920 #59393 #90588 #16103',
    'openclaw/openclaw#147745 #5524 #70076 #91735 #8069 #36811 frankbria/ralph-claude-code#151',
  ],
  'a session that is huge': ['#22365 #21179 #20367 #24457 #23373 #21067 #27505 #85179'],
  damage: [
    '#81843 #49876 #50347 #20992 Ruya-AI/cozempic#151 #27472 #39151 #31328 #45286 #58554 #22526 #46603',
    '2.1.30 2.1.108 #36583 #5034 #35024 #72203 #40027 #89820 #53821 #22566',
  ],
  'uses and results': ['#39602 #473 #18131 #11042 anthropics/claude-agent-sdk-python#631 2.1.69 2.1.218'],
  thinking: [
    'zed-industries/zed#63571 #12946 #63147 #66204 #12169 Tarquinen/opencode-dynamic-context-pruning#373',
  ],
  characters: ['#3277 #68325 #34025'],
  'cache and context': ['#34629 #42338 #67497 #93490 #70651 #46749 #83367'],
  'deletion, locks and environment': ['#85466 #79758 #90866 #80654 #63758'],
}

const root = join(import.meta.dirname, '..', '..')
const texts = ['test', 'vectors'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
    .filter((entry) => entry.name !== 'report-plan.test.ts')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
)
const isNamed = (report: string): boolean => {
  const name = new RegExp(`${report.replaceAll('.', '\\.')}(?![\\d.]*\\d)`)
  return texts.some((text) => name.test(text))
}

describe('public reports', () => {
  it.each(Object.entries(reports))(
    'about %s: each is named by the test or vector that shows it',
    (_, rows) => {
      const all = rows.flatMap((row) => row.split(' '))
      expect(all.filter((report) => !isNamed(report))).toEqual([])
    },
  )
})
