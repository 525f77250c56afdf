import { join } from 'node:path'
import { $ } from 'zx'

export const root = join(import.meta.dirname, '..', '..')
export const yoke = join(root, 'dist', 'yoke')

/** One measurement; `folder` is removed behind it. */
export type Bench = (folder: string) => Promise<void>

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Milliseconds that a program takes from start to end. */
export const timeOf = async (file: string, ...args: readonly string[]): Promise<number> => {
  const began = performance.now()
  await $({ quiet: true })`${file} ${args}`
  return performance.now() - began
}
