import { type Column, table } from '../../../src/ui/table.ts'
import { median, plain } from '../measure.ts'
import { type Account, costOf, type Kind, price, totalOf } from './books.ts'
import { type Floor, lateFloor, lateFrom, runOf } from './late.ts'
import { names, type Run, type Strategy } from './strategies.ts'

/** A figure of each repeat: its median, and from the least to the most where they differ. */
export const figure = (values: readonly number[], text: (value: number) => string): string => {
  if (values.length === 0 || values.some(Number.isNaN)) return ''
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map(text)
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`
}

const two = (value: number) => value.toFixed(2)
export const money = (value: number): string => `$${value.toFixed(2)}`
const count = (value: number) => String(Math.round(value))
const k = (tokens: number) => `${Math.round(tokens / 1000)}k`
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Something that has a figure in each repeat. */
type Row<Repeat> = { readonly title: string; readonly repeats: readonly Repeat[] }

const column = <Repeat>(
  title: string,
  value: (repeat: Repeat) => number,
  text: (value: number) => string,
): Column<Row<Repeat>> => ({
  title,
  right: true,
  cell: ({ repeats }) => figure(repeats.map(value), text),
})

const name: Column<{ readonly title: string }> = { title: '', cell: ({ title }) => title }

/** The whole job, and what it costs from the tenth iteration on beside what nobody can save: of one setting. */
export const settingTables = (runs: readonly Run[]): string => {
  const iterations = runs[0]?.accounts.length ?? 0
  const rows = names.map((title) => ({ title, repeats: runs.filter(({ strategy }) => strategy === title) }))
  const head = `${percent(runs[0]?.share ?? 0)} kept, a pause of ${runs[0]?.pause} minutes, ${iterations} iterations`
  const whole = `\n${head}\n${wholeTable(rows, runs)}`
  return iterations <= lateFrom
    ? whole
    : `${whole}\n\n${head}: from iteration ${lateFrom + 1} on\n${lateTable(rows, runs)}`
}

const wholeTable = (rows: readonly Row<Run>[], runs: readonly Run[]): string => {
  const total = (title: string, value: (account: Account) => number) =>
    column<Run>(title, ({ accounts }) => accounts.reduce((sum, each) => sum + value(each), 0), k)
  const later = (title: string, value: (account: Account) => number, text: (value: number) => string) =>
    column<Run>(title, ({ accounts }) => median(accounts.slice(1).map(value)), text)
  const other = (run: Run, strategy: Strategy) => runOf(runs, strategy, run.repeat)?.accounts ?? []
  const ratio = (title: string, strategy: Strategy) =>
    column<Run>(title, (run) => costOf(run.accounts) / costOf(other(run, strategy)), two)
  const crossings = (title: string, strategy: Strategy): Column<Row<Run>> => ({
    title,
    right: true,
    cell: ({ repeats }) =>
      [...new Set(repeats.map((run) => crossing(run.accounts, other(run, strategy))))].join(', '),
  })
  return table(
    rows,
    [
      name,
      column('money', ({ accounts }) => costOf(accounts), money),
      ratio('of fresh', 'fresh'),
      ratio('of resume', 'resume'),
      ratio('of 1M', 'resume, 1M window'),
      column('calls', ({ accounts }) => accounts.reduce((sum, { calls }) => sum + calls, 0), count),
      column('re-reads', ({ rereads }) => rereads, count),
      column('compactions', ({ compactions }) => compactions, count),
      later('context', ({ contextAtStart }) => contextAtStart, k),
      later('cached', ({ cachedAtStart }) => cachedAtStart, percent),
      total('in', ({ tokens }) => tokens.input),
      total('written', ({ tokens }) => tokens.write5m + tokens.write1h),
      total('read', ({ tokens }) => tokens.read),
      total('out', ({ tokens }) => tokens.output),
      crossings('below fresh', 'fresh'),
      crossings('below resume', 'resume'),
    ],
    plain,
  )
}

/** The first iteration from which on the cumulative cost of one stays below that of another. */
const crossing = (one: readonly Account[], other: readonly Account[]): string => {
  const below = one.map((_, n) => costOf(one.slice(0, n + 1)) < costOf(other.slice(0, n + 1)))
  const first = below.lastIndexOf(false) + 1
  return first >= below.length ? 'never' : first === 0 ? 'always' : `from ${first + 1}`
}

/** Dollars; of a floor it is not told what they are for. */
type Late = {
  readonly repeat: number
  readonly all: number
  readonly output: number
  readonly written: number
  readonly read: number
}

const lateTable = (rows: readonly Row<Run>[], runs: readonly Run[]): string => {
  const strategies = rows.map(({ title, repeats }) => ({ title, repeats: repeats.map(lateOf) }))
  const repeats = [...new Set(runs.map(({ repeat }) => repeat))]
  const floor = (title: string, kind: keyof Floor): Row<Late> => ({
    title,
    repeats: repeats.map((repeat) => {
      const unknown = Number.NaN
      return { repeat, all: lateFloor(runs, repeat, kind), output: unknown, written: unknown, read: unknown }
    }),
  })
  const other = (strategy: Strategy, { repeat }: Late) => {
    const run = runOf(runs, strategy, repeat)
    return run === undefined ? Number.NaN : lateOf(run).all
  }
  return table(
    [
      ...strategies,
      floor('least with what KEEP names', 'ofNeeds'),
      floor('least of what acts between turns', 'ofTurns'),
      floor('least of any strategy', 'any'),
    ],
    [
      name,
      column<Late>('money', ({ all }) => all, money),
      column<Late>('of resume', (late) => late.all / other('resume', late), two),
      column<Late>('of 1M', (late) => late.all / other('resume, 1M window', late), two),
      column<Late>('output', ({ output }) => output, money),
      column<Late>('input and cache writes', ({ written }) => written, money),
      column<Late>('cache reads', ({ read }) => read, money),
    ],
    plain,
  )
}

const lateOf = ({ repeat, accounts }: Run): Late => {
  const tokens = totalOf(accounts.slice(lateFrom))
  const dollars = (...kinds: readonly Kind[]) =>
    kinds.reduce((sum, kind) => sum + (tokens[kind] * price[kind]) / 1e6, 0)
  return {
    repeat,
    all: dollars('input', 'write5m', 'write1h', 'read', 'output'),
    output: dollars('output'),
    written: dollars('input', 'write5m', 'write1h'),
    read: dollars('read'),
  }
}
