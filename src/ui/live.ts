import type { Colors } from 'picocolors/types'
import type { Activity, RunEvent } from '../events.ts'
import { fleetFrame, fleetTitle } from './fleet-frame.ts'
import { frame, type Size, titleText } from './frame.ts'
import { type Painted, paint } from './painter.ts'
import { see, type View } from './view.ts'

/** The part of a terminal's stream that the live view uses. */
export type Terminal = {
  readonly write: (text: string) => unknown
  readonly columns?: number
  readonly rows?: number
  readonly on?: (event: 'resize', listener: () => void) => unknown
  readonly off?: (event: 'resize', listener: () => void) => unknown
}

export type Live = {
  /** Prints lines for good, above the block. */
  readonly print: (text: string) => void
  readonly see: (event: RunEvent | Activity) => void
  /** Takes the block away and gives the terminal back as it was. */
  readonly close: () => void
}

const shortestFrameMs = 100
/** The clocks in the block show seconds. */
const tickMs = 1000

const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
/** xterm's stack of titles (XTWINOPS 22 and 23): the user's own title comes back at the end. */
const saveTitle = '\u001b[22;2t'
const restoreTitle = '\u001b[23;2t'
const setTitle = (text: string): string => `\u001b]2;${text}\u0007`

/**
 * A block that stays below the lines that scroll: a scroll region with a fixed top would keep what scrolls out of it from the terminal's
 * history. One write a frame, ten frames a second at most, one a second while nothing happens.
 */
const startBlock = (
  terminal: Terminal,
  shown: { readonly frame: (size: Size, now: number) => readonly string[]; readonly title: () => string },
  now: () => number,
) => {
  let painted: Painted = []
  let pending: string[] = []
  let title = ''
  let last = 0
  let timer: NodeJS.Timeout | undefined
  let ticker: NodeJS.Timeout | undefined
  let open = true

  const size = (): Size => ({ columns: terminal.columns ?? 80, rows: terminal.rows ?? 24 })
  const draw = () => {
    timer = undefined
    last = now()
    const block = shown.frame(size(), last)
    const wanted = shown.title()
    const named = wanted === title ? '' : setTitle(wanted)
    title = wanted
    terminal.write(named + paint(painted, pending, block, size().columns))
    pending = []
    painted = block
  }
  const schedule = () => {
    if (!open || timer !== undefined) return
    timer = setTimeout(draw, Math.max(0, shortestFrameMs - (now() - last))).unref()
  }
  const close = () => {
    if (!open) return
    open = false
    clearTimeout(timer)
    clearInterval(ticker)
    terminal.off?.('resize', schedule)
    process.off('exit', close)
    process.off('SIGCONT', afterStop)
    terminal.write(paint(painted, pending, [], size().columns) + showCursor + restoreTitle)
  }
  /** The shell has written below the block while yoke was stopped (Ctrl+Z). */
  const afterStop = () => {
    painted = []
    schedule()
  }

  terminal.write(saveTitle + hideCursor)
  ticker = setInterval(schedule, tickMs).unref()
  terminal.on?.('resize', schedule)
  process.on('exit', close)
  process.on('SIGCONT', afterStop)
  return {
    print: (text: string): void => {
      pending.push(...text.split('\n'))
      schedule()
    },
    changed: schedule,
    close,
  }
}

/** The live block of one run. */
export const startLive = (
  terminal: Terminal,
  colors: Colors,
  past: readonly RunEvent[],
  now: () => number,
): Live => {
  let view: View | undefined = past.reduce<View | undefined>(
    (seen, event) => see(seen, event, Date.parse(event.at)),
    undefined,
  )
  const { changed, ...block } = startBlock(
    terminal,
    {
      frame: (size, time) => (view === undefined ? [] : frame(view, size, time, colors)),
      title: () => (view === undefined ? '' : titleText(view)),
    },
    now,
  )
  return {
    ...block,
    see: (event) => {
      view = see(view, event, now())
      changed()
    },
  }
}

/** The live block of several runs, a line each. */
export const startFleetLive = (terminal: Terminal, colors: Colors, now: () => number) => {
  const views = new Map<string, View | undefined>()
  const { changed, ...block } = startBlock(
    terminal,
    {
      frame: (size, time) => fleetFrame(views, size, time, colors),
      title: () => fleetTitle(views),
    },
    now,
  )
  return {
    ...block,
    see: (name: string, event: RunEvent | Activity): void => {
      views.set(name, see(views.get(name), event, now()))
      changed()
    },
  }
}
