import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { namesIn } from '../system/names-in.ts'
import { processStart } from '../system/process-start.ts'

/** One file of the CLI's registry, `<config>/sessions/<pid>.json` (older: `pid-<pid>.json`). */
const Registered = v.looseObject({
  pid: v.pipe(v.number(), v.integer()),
  sessionId: v.string(),
  procStart: v.optional(v.union([v.string(), v.number()])),
})

/**
 * The pid of a running CLI that holds this session. The registry is the only sign: no descriptor stays open between appends
 * (anthropics/claude-code#63758), and `status` may be missing, so that an entry whose process runs counts as live.
 */
export const liveHolder = (registry: string, sessionId: string): number | undefined => {
  // The key files beside the entries hold secrets of the CLI: never opened.
  for (const name of namesIn(registry).filter((each) => /^(?:pid-)?\d+\.json$/.test(each))) {
    const entry = readEntry(join(registry, name))
    if (entry?.sessionId === sessionId && runs(entry)) return entry.pid
  }
  return undefined
}

const readEntry = (file: string): v.InferOutput<typeof Registered> | undefined => {
  try {
    const parsed = v.safeParse(Registered, JSON.parse(readFileSync(file, 'utf8')))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** A pid is reused: the start time tells another process from the one that registered. */
const runs = ({ pid, procStart }: v.InferOutput<typeof Registered>): boolean => {
  const start = processStart(pid)
  if (start === undefined) return false
  return (
    start === '' || procStart === undefined || process.platform !== 'linux' || start === String(procStart)
  )
}
