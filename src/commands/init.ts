import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { exampleTask } from '../task/example.ts'

export const define: Define = (cli) => {
  cli
    .command('init [task.md]', 'Write a commented example task')
    .option('--force', 'Write over a file that is there')
    .example('  yoke init && yoke brute task.md')
    .action(async (file: string | undefined, { force }: { force?: boolean }) => {
      const name = String(file ?? 'task.md')
      await runInit({ file: name, cwd: process.cwd(), force: force === true })
      process.stdout.write(`${name} is written. Say in it what is to be done, then run: yoke brute ${name}\n`)
    })
}

export type InitOptions = {
  readonly file: string
  /** Absolute path of the project. */
  readonly cwd: string
  /** Write over a file that is there. */
  readonly force: boolean
}

/**
 * Writes an example task and gives back its absolute path. Throws `E_EXISTS` (exit 2) when the file is
 * there and `force` is off, `E_NOT_WRITABLE` when it cannot be written.
 */
export const runInit = async ({ file, cwd, force }: InitOptions): Promise<string> => {
  const path = resolve(cwd, file)
  await mkdir(dirname(path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw notWritable(file, error)
  })
  await writeFile(path, exampleTask(), { flag: force ? 'w' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? alreadyThere(file) : notWritable(file, error)
  })
  return path
}

const alreadyThere = (file: string) =>
  new YokeError(
    'E_EXISTS',
    `${file} is already there.`,
    'Name another file, or write over it with --force.',
    exitCode.usage,
  )

const notWritable = (file: string, { code, message }: NodeJS.ErrnoException) =>
  new YokeError(
    'E_NOT_WRITABLE',
    `${file} cannot be written (${code ?? message}).`,
    'Name a file in a folder that you may write to.',
  )
