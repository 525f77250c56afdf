import xterm from '@xterm/headless'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NewEvent, RunEvent } from '../../src/events.ts'
import { createOutput, type OutputOptions } from '../../src/ui/output.ts'
import { longRun, start } from '../report/made-run.ts'

/** A real terminal emulator behind the part of a stream that the output uses. */
const terminal = (columns = 80, rows = 24) => {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  const listeners = new Set<() => void>()
  const writes: string[] = []
  const titles: string[] = []
  screen.onTitleChange((title) => titles.push(title))
  // The emulator works by timers of its own, which stand still while the test moves the time.
  const steps: (() => Promise<void>)[] = []
  const stream = {
    isTTY: true,
    columns,
    rows,
    write: (text: string) => {
      writes.push(text)
      // A terminal in cooked mode begins a new line at its first column.
      steps.push(() => new Promise((done) => screen.write(text.replace(/(?<!\r)\n/g, '\r\n'), done)))
      return true
    },
    on: (_event: 'resize', listener: () => void) => listeners.add(listener),
    off: (_event: 'resize', listener: () => void) => listeners.delete(listener),
  }
  return {
    stream,
    writes,
    titles,
    listeners,
    resize: (to: number, tall: number) => {
      stream.columns = to
      stream.rows = tall
      steps.push(async () => screen.resize(to, tall))
      for (const listener of listeners) listener()
    },
    /** Everything that the terminal holds, the lines that have scrolled away too. */
    text: async () => {
      vi.useRealTimers()
      for (const step of steps.splice(0)) await step()
      vi.useFakeTimers({ now: start })
      const { active } = screen.buffer
      return Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true) ?? '',
      )
    },
  }
}

const show = (at: ReturnType<typeof terminal>, options: OutputOptions = {}, env: NodeJS.ProcessEnv = {}) =>
  createOutput(options, at.stream, { TERM: 'xterm-256color', NO_COLOR: '1', ...env })

const { events } = longRun(6)
const isBlock = (line: string) => /^─+$/.test(line)

describe('the live view on a terminal', () => {
  beforeEach(() => vi.useFakeTimers({ now: start }))
  afterEach(() => vi.useRealTimers())

  it('keeps one block below, and every line above it once and in order', async () => {
    const at = terminal()
    const output = show(at)
    for (const event of events.slice(0, -1)) {
      output.event(event)
      vi.advanceTimersByTime(130)
    }
    const lines = await at.text()
    expect(lines.filter(isBlock)).toHaveLength(1)
    expect(lines.findIndex(isBlock)).toBeGreaterThan(lines.findLastIndex((line) => /^Iteration/.test(line)))
    expect(lines.filter((line) => /^Iteration \d/.test(line)).map((line) => line.match(/\d+/)?.[0])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    const last = events.at(-1)
    if (last !== undefined) output.event(last)
    const end = await at.text()
    expect(end.filter(isBlock)).toHaveLength(0)
    expect(end.join('\n')).toMatch(/done The option is documented\.[\s\S]*took +6 iterations/)
  })

  it('leaves nothing behind when the terminal gets narrower and lower, and wider again', async () => {
    const at = terminal(100, 30)
    const output = show(at)
    const sizes = [40, 100, 60, 120, 45]
    events.slice(0, 30).forEach((event, index) => {
      output.event(event)
      vi.advanceTimersByTime(200)
      const size = sizes[index]
      if (size !== undefined) at.resize(size, size > 50 ? 30 : 12)
      vi.advanceTimersByTime(200)
    })
    const lines = await at.text()
    expect(lines.filter((line) => /^─{20,}/.test(line))).toHaveLength(1)
    expect(
      lines.filter(
        (line) => line.includes('tokens in ·') && !line.includes('worker:') && !line.includes('judge:'),
      ),
    ).toHaveLength(1)
  })

  it('writes ten frames a second at most, and one a second while nothing happens', () => {
    const at = terminal()
    const output = show(at)
    output.event(events[0] as RunEvent)
    const before = at.writes.length
    for (let n = 0; n < 1000; n++) {
      output.activity({ type: 'agent.said', role: 'worker', text: `words ${n}` })
      vi.advanceTimersByTime(1)
    }
    expect(at.writes.length - before).toBeLessThanOrEqual(11)
    const busy = at.writes.length
    vi.advanceTimersByTime(10_000)
    expect(at.writes.length - busy).toBeLessThanOrEqual(11)
    expect(at.writes.length - busy).toBeGreaterThanOrEqual(9)
  })

  it('names the terminal, and gives back title and cursor at the end', async () => {
    const at = terminal()
    const output = show(at)
    for (const event of events) {
      output.event(event)
      vi.advanceTimersByTime(100)
    }
    await at.text()
    expect(at.titles.some((title) => title.startsWith('yoke 1/500'))).toBe(true)
    const all = at.writes.join('')
    expect(all.indexOf('\u001b[22;2t')).toBeLessThan(all.indexOf('\u001b[?25l') + 10)
    expect(all.lastIndexOf('\u001b[?25h')).toBeGreaterThan(all.lastIndexOf('\u001b[?25l'))
    expect(all).toContain('\u001b[23;2t')
    expect(at.listeners.size).toBe(0)
  })

  it('goes on from the past of a resumed run', async () => {
    const at = terminal()
    const past = events.slice(0, 12)
    const resumed: NewEvent = { type: 'run.resumed', yoke: '', directives: { 'max-iterations': 40 } }
    show(at, { past: () => past }).event({
      ...resumed,
      at: new Date(start).toISOString(),
      run: 'r',
    } as RunEvent)
    vi.advanceTimersByTime(200)
    expect((await at.text()).join('\n')).toMatch(/iteration [1-9] of 40/)
  })
})

describe('where no live view is wanted', () => {
  it.each<[string, OutputOptions, NodeJS.ProcessEnv, boolean]>([
    ['a pipe', {}, {}, false],
    ['TERM=dumb', {}, { TERM: 'dumb' }, true],
    ['CI', {}, { CI: 'true' }, true],
    ['--plain', { plain: true }, {}, true],
    ['--quiet', { quiet: true }, {}, true],
    ['--json', { json: true }, {}, true],
  ])('%s gets lines without an escape sequence', (_what, options, env, isTTY) => {
    const at = terminal()
    const output = createOutput(
      options,
      { ...at.stream, isTTY },
      {
        TERM: 'xterm',
        ...env,
        ...(isTTY && env['TERM'] !== 'dumb' && !options.plain && !options.json ? { NO_COLOR: '1' } : {}),
      },
    )
    for (const event of events) output.event(event)
    expect(at.writes.length).toBeGreaterThan(0)
    expect(at.writes.join('')).not.toContain('\u001b')
  })

  it('NO_COLOR takes the colours and leaves the block', () => {
    vi.useFakeTimers({ now: start })
    const at = terminal()
    const output = show(at)
    output.event(events[0] as RunEvent)
    vi.advanceTimersByTime(200)
    vi.useRealTimers()
    expect(at.writes.join('')).not.toMatch(/\u001b\[\d+m/)
    expect(at.writes.join('')).toContain('iteration 0 of 500')
  })
})

describe('being told', () => {
  const told = (options: OutputOptions, isTTY = true, env: NodeJS.ProcessEnv = {}) => {
    const at = terminal()
    const output = createOutput({ quiet: true, ...options }, { ...at.stream, isTTY }, env)
    output.event(events.at(-1) as RunEvent)
    return at.writes.join('')
  }

  it('rings and shows only when asked, and only on a terminal', () => {
    expect(told({})).not.toMatch(/\u0007|\u001b\]/)
    expect(told({ notify: 'all' }, false)).not.toMatch(/\u0007|\u001b\]/)
    expect(told({ notify: 'bell' })).toContain('\u0007')
    expect(told({ notify: 'desktop' })).toContain('\u001b]9;yoke: done: The option is documented.\u001b\\')
    expect(told({ notify: 'desktop' }, true, { VTE_VERSION: '7006' })).toContain(
      '\u001b]777;notify;yoke;done: ',
    )
    expect(told({ notify: 'desktop' }, true, { TMUX: '/tmp/x' })).toContain('\u001bPtmux;\u001b\u001b]9;')
  })

  it('lets no text end the sequence or add a field', () => {
    const at = terminal()
    const output = createOutput({ quiet: true, notify: 'desktop' }, at.stream, {})
    const end = events.at(-1)
    if (end?.type === 'run.finished') output.event({ ...end, reason: 'a\u0007b;c\u001b\\d' })
    const sequence = at.writes.join('').match(/\u001b\]9;([^\u001b]*)\u001b\\$/)?.[1]
    expect(sequence).toBe('yoke: done: a b c \\d')
  })
})
