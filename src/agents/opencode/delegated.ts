import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { addTokens, noTokens } from '../../loop/tokens.ts'
import type { Spent, Tokens } from '../agent.ts'
import { type Cli, runCli } from './cli.ts'
import { delegatedTo } from './events.ts'
import { TokensSchema } from './line-schemas.ts'

const ExportSchema = v.looseObject({
  messages: v.array(
    v.looseObject({
      info: v.looseObject({
        time: v.looseObject({ created: v.number() }),
        cost: v.nullish(v.number(), 0),
        tokens: v.optional(TokensSchema),
      }),
      parts: v.array(v.unknown()),
    }),
  ),
})

/** So many sessions are exported at the same time. */
const atOnce = 4

/**
 * What the sessions of subagents have spent since a time, with those of their own subagents: `opencode run` reports the answers of the
 * main session alone (1.18.33). A session that cannot be read counts as nothing.
 */
export const spentBy = async (cli: Cli, sessions: readonly string[], since: number): Promise<Spent> => {
  const scratch = await mkdtemp(join(tmpdir(), 'yoke-delegated-'))
  try {
    const known = new Set(sessions)
    let left = [...known]
    let total: Spent = { costUsd: 0, tokens: noTokens }
    while (left.length > 0) {
      const exports = await Promise.all(
        left.slice(0, atOnce).map((id) => exported(cli, id, join(scratch, id))),
      )
      const messages = exports.flatMap((each) => each.messages)
      const fresh = messages.filter(({ info }) => info.time.created >= since)
      total = fresh.reduce((sum, { info }) => added(sum, info), total)
      const named = new Set(messages.flatMap(({ parts }) => parts.flatMap(delegatedTo)))
      const found = [...named].filter((id) => !known.has(id))
      for (const id of found) known.add(id)
      left = [...left.slice(atOnce), ...found]
    }
    return total
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const exported = async (cli: Cli, id: string, file: string): Promise<v.InferOutput<typeof ExportSchema>> => {
  const nothing = { messages: [] }
  if ((await runCli(cli, ['export', id], file)) !== undefined) return nothing
  try {
    return v.parse(ExportSchema, JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return nothing
  }
}

const added = (sum: Spent, { cost, tokens }: { cost: number; tokens?: Tokens | undefined }): Spent => ({
  costUsd: sum.costUsd + cost,
  tokens: tokens === undefined ? sum.tokens : addTokens(sum.tokens, tokens),
})
