import type { Colors } from 'picocolors/types'
import { formatMoney } from './format.ts'
import { nowLine, type Size } from './frame.ts'
import type { View } from './view.ts'
import { fit } from './width.ts'

type Views = ReadonlyMap<string, View | undefined>

/** The live block of several runs: what they have cost together, and a line for each. */
export const fleetFrame = (
  views: Views,
  { columns, rows }: Size,
  now: number,
  colors: Colors,
): readonly string[] => {
  const width = Math.max(1, columns - 1)
  const names = Math.min(20, Math.max(0, ...[...views.keys()].map((name) => name.length)))
  const lines = [...views].flatMap(([name, view]) =>
    view === undefined ? [] : [lineFor(name, view, { names, width, now, colors })],
  )
  return [
    colors.dim('─'.repeat(width)),
    colors.bold(fit(`${workingOf(views)} of ${views.size} at work · ${formatMoney(costOf(views))}`, width)),
    ...lines,
  ].slice(0, Math.max(1, rows - 1))
}

const lineFor = (
  name: string,
  view: View,
  {
    names,
    width,
    now,
    colors,
  }: { readonly names: number; readonly width: number; readonly now: number; readonly colors: Colors },
): string => {
  const { loop } = view.run
  const head = `${fit(name, names).padEnd(names)} ${loop.iteration}/${loop.directives['max-iterations']} ${formatMoney(loop.costUsd)} `
  const room = width - head.length
  return room < 10 ? fit(head, width) : head + nowLine(view, now, room, colors)
}

/** The title of the terminal. */
export const fleetTitle = (views: Views): string =>
  `yoke ${workingOf(views)}/${views.size} · ${formatMoney(costOf(views))}`

const workingOf = (views: Views): number =>
  [...views.values()].filter((view) => view !== undefined && view.run.loop.finished === undefined).length

const costOf = (views: Views): number =>
  [...views.values()].reduce((sum, view) => sum + (view?.run.loop.costUsd ?? 0), 0)
