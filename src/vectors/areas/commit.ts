import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { processStart } from '../../system/process-start.ts'
import { trim } from '../../transcript/trim.ts'
import { area, refusal, TextSchema, textOf } from '../area.ts'
import { inPlace } from '../place.ts'

const outcome = {
  /** What the file holds afterwards: what it held, or the trimmed session. */
  left: v.picklist(['old', 'new', 'old and more']),
}

/** How the trimmed session takes the place of the old one (§6.6). */
export const commit = area(
  v.strictObject({
    session: TextSchema,
    /** What comes between. */
    meanwhile: v.exactOptional(v.picklist(['a living CLI holds it', 'it was written to']), undefined),
    /** Of the file, octal. */
    mode: v.exactOptional(v.string(), '600'),
    /** The path that is named is a symbolic link. */
    link: v.exactOptional(v.boolean(), false),
    /** The file name of the backup. */
    backup: v.exactOptional(v.string(), 's.bak'),
  }),
  v.union([
    v.strictObject({
      ...outcome,
      mode: v.string(),
      /** The path that was named is a symbolic link still. */
      link: v.boolean(),
      /** What the backup holds. */
      backup: v.literal('old'),
    }),
    refusal(outcome),
  ]),
  ({ session, meanwhile, mode, link, backup }) =>
    inPlace(async ({ folder, project, enter }) => {
      const old = enter(textOf(session))
      const file = join(folder, 'session-1.jsonl')
      writeFileSync(file, old)
      chmodSync(file, Number.parseInt(mode, 8))
      const named = link ? join(folder, 'linked.jsonl') : file
      if (link) symlinkSync(file, named)
      const liveSessions = join(folder, 'live')
      mkdirSync(liveSessions)
      if (meanwhile === 'a living CLI holds it')
        writeFileSync(
          join(liveSessions, `${process.pid}.json`),
          JSON.stringify({ pid: process.pid, sessionId: 'session-1', procStart: processStart(process.pid) }),
        )
      const kept = join(folder, backup)
      const result = await trim({
        file: named,
        keep: [],
        cwd: project,
        staleReads: 'drop',
        liveSessions,
        backup: kept,
        onStep: (step) => {
          if (step === 'temporary written' && meanwhile === 'it was written to') appendFileSync(file, '\n')
        },
      })
      const now = readFileSync(file, 'utf8')
      const content = now === old ? 'old' : now.startsWith(old) ? 'old and more' : 'new'
      if (result.status === 'refused') return { refused: result.code, left: content } as const
      if (readFileSync(kept, 'utf8') !== old) throw new Error('the backup is not the old session')
      return {
        left: content,
        mode: (statSync(file).mode & 0o777).toString(8),
        link: lstatSync(named).isSymbolicLink(),
        backup: 'old',
      } as const
    }),
)
