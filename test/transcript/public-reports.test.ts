import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The public reports about stored sessions that were read before the trim was built. Numbers without a repository are issues of
// anthropics/claude-code, those with dots are entries of its changelog. Left out is what no program beside the CLI can change: a
// cache that the provider lost (#87966).
const reports: Readonly<Record<string, readonly string[]>> = {
  'a session that is not found': [
    '#33912 #1967 #1977 #1169 #3188 #77732 2.1.187 #68525 #58591 #83146 #81603 #43202 #57920 #59393',
    '#51488 #46342 #24271 #90588 #48218 #48645 #48720 #62276 #16103 #78843 get-bb/bb#3607',
    'openclaw/openclaw#147745 agent-of-empires/agent-of-empires#3399 entireio/cli#2367 #5524 #24934',
    '#70076 #35162 #7009 #24067 #40946 #52513 #91735 #70674 #46071 #45718 #76617 #8069 #4926 #10806',
    '#12235 #8524 #36811 frankbria/ralph-claude-code#151',
  ],
  'a session that is huge': [
    '#22365 #21179 #20367 #21022 #83682 #24457 #22040 #23373 #21067 #22132 #27505 #92089 #85179 #67313',
    '#61613 openai/codex#28866',
  ],
  'damage of lines and chains': [
    '#81843 #49876 #76059 #50347 #20992 #52387 Ruya-AI/cozempic#147 Ruya-AI/cozempic#151 #27472 #39151',
    '#31328 #31330 #45286 #37779 #58554 #22526 #24304 #22107 #46603 #61188 2.1.30 2.1.108 #36583 #5034',
    '#35024 #72203 #40027 #89820 #91632 #48270 #53821 #22566 #80561 #79188',
  ],
  'uses and results': [
    '#39602 #473 #8763 #21102 #18131 #11042 anthropics/claude-agent-sdk-python#631 #54638 2.1.69 2.1.86',
    '2.1.122 2.1.218',
  ],
  thinking: [
    'zed-industries/zed#63571 NousResearch/hermes-agent#106426 pydantic/pydantic-ai#7989 #12946 #13391',
    '#26684 #63309 #63147 #63475 #63410 #63357 #63208 #64213 #66204 #71111 #19460 #12169',
    'anomalyco/opencode#6176 anomalyco/opencode#3077 Tarquinen/opencode-dynamic-context-pruning#373',
  ],
  'characters and pictures': ['#3277 #2108 #44230 #65155 #68325 #34025 #66167 #9269 #16173'],
  'cache and context': [
    '#34629 #42338 #43657 #51764 #67497 #91514 #41454 #93490 #91971 multica-ai/multica#6008 #65917 #70651',
    '#36751 #46749 #85488 #17407 #83367 #82017',
  ],
  'deletion, locks and environment': [
    '#85466 #82084 #59248 #86730 #84279 #90371 #95403 #79758 #90866 #85743 #69652 #90667 #80654 #73848',
    '#73294 #72347 #63758 #25864 anthropics/claude-agent-sdk-typescript#364 2.1.205',
  ],
}

const root = join(import.meta.dirname, '..', '..')
const texts = ['test', 'vectors'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
    .filter((entry) => entry.name !== 'public-reports.test.ts')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
)
const named = new Set(
  texts.flatMap((text) => text.match(/(?:[\w.-]+\/[\w.-]+)?#\d+|changelog \d+\.\d+\.\d+/g) ?? []),
)
const isNamed = (report: string): boolean =>
  ['', 'anthropics/claude-code', 'changelog '].some((before) => named.has(`${before}${report}`))

describe('public reports', () => {
  it.each(Object.entries(reports))(
    'about %s: each is named by the test or vector that shows it',
    (_, rows) => {
      const all = rows.flatMap((row) => row.split(' '))
      expect(all.filter((report) => !isNamed(report))).toEqual([])
    },
  )
})
