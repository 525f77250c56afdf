import { hostname } from 'node:os'
import * as v from 'valibot'
import { YokeError } from '../../errors.ts'
import { takeLock } from '../../run/lock.ts'
import { fileFormat } from '../../system/file-format.ts'
import { processStart } from '../../system/process-start.ts'
import { area, refusal } from '../area.ts'
import { inPlace } from '../place.ts'

/** Beyond the largest pid of Linux: no process has it. */
const noPid = 2 ** 22 + 1

/** Whether a project can be taken while somebody else's lock lies there (§5.4). */
export const lock = area(
  v.strictObject({
    /** What lies there: nothing, what is no lock, the lock of a process, or one whose format comes after this one. */
    holder: v.picklist(['none', 'damaged', 'alive', 'dead', 'pid of another process', 'other host', 'newer']),
  }),
  v.union([
    v.strictObject({ taken: v.literal(true) }),
    refusal({
      exit: v.number(),
      /** Whether the message names the holder's pid. */
      namesPid: v.boolean(),
    }),
  ]),
  ({ holder }) =>
    inPlace(async ({ folder, write }) => {
      const mine = {
        pid: process.pid,
        start: processStart(process.pid) ?? '',
        host: hostname(),
        run: 'r',
        since: 's',
      }
      const held = {
        none: undefined,
        damaged: '{"pid":',
        alive: JSON.stringify(mine),
        dead: JSON.stringify({ ...mine, pid: noPid }),
        'pid of another process': JSON.stringify({ ...mine, start: '1' }),
        'other host': JSON.stringify({ ...mine, pid: noPid, host: 'elsewhere.example' }),
        newer: JSON.stringify({ format: fileFormat + 1, host: hostname() }),
      }[holder]
      if (held !== undefined) await write('lock', held)
      try {
        const release = await takeLock(`${folder}/lock`, 'mine', new Date(0))
        await release()
        return { taken: true } as const
      } catch (error) {
        if (!(error instanceof YokeError)) throw error
        return { refused: error.code, exit: error.exit, namesPid: /process \d+/.test(error.message) }
      }
    }),
)
