import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { type Bench, median, timeOf, yoke } from './measure.ts'

/** Start-up of the binary against a compiled hello world, by turns. */
export const benchStart: Bench = async (folder) => {
  const source = join(folder, 'hello.ts')
  const hello = join(folder, 'hello')
  writeFileSync(source, "console.log('hello')\n")
  await $({ quiet: true })`${process.execPath} build --compile --minify ${source} --outfile ${hello}`
  const times: { hello: number[]; yoke: number[] } = { hello: [], yoke: [] }
  for (let round = 0; round < 30; round++) {
    times.hello.push(await timeOf(hello))
    times.yoke.push(await timeOf(yoke, '--version'))
  }
  const [one, other] = [median(times.hello), median(times.yoke)]
  console.log(
    `hello world ${one.toFixed(1)} ms, yoke --version ${other.toFixed(1)} ms: ${(other / one).toFixed(2)} times (median of 30)`,
  )
}
