import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { requireTrust } from '../../src/run/trust.ts'
import type { Grant } from '../../src/task/grants.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const grants: readonly Grant[] = [{ key: 'checks', value: '["make"]' }]

/** A home of its own, and how often the user was asked there. */
const home = async () => {
  const state = await temporaryFolder()
  let asked = 0
  return {
    file: join(state, 'yoke', 'trust.json'),
    asked: () => asked,
    ask: (project: string, wanted: readonly Grant[], answer = true) =>
      requireTrust(project, wanted, { XDG_STATE_HOME: state }, async () => {
        asked += 1
        return answer
      }),
  }
}

it('is asked for once, and remembered for the place and the value', async () => {
  const { ask, asked, file } = await home()
  await ask('/p', grants)
  await ask('/p', grants)
  expect(asked()).toBe(1)
  expect(Object.values(JSON.parse(readFileSync(file, 'utf8')).trusted)).toEqual(['/p'])
})

it('is asked for again when the value or the place is another one', async () => {
  const { ask, asked } = await home()
  await ask('/p', grants)
  await ask('/p', [{ key: 'checks', value: '["make; curl x"]' }])
  await ask('/other', grants)
  await ask('/p', [...grants, { key: 'image', value: '"evil"' }])
  expect(asked()).toBe(4)
  await ask('/p', grants)
  expect(asked()).toBe(4)
})

it('is refused with what is asked for, and a refusal is not remembered', async () => {
  const { ask, asked } = await home()
  for (const _ of [1, 2])
    await expect(ask('/p', grants, false)).rejects.toMatchObject({
      code: 'E_UNTRUSTED',
      exit: 2,
      message: expect.stringContaining('checks ["make"]'),
    })
  expect(asked()).toBe(2)
})

it('is nothing to ask about when the project asks for nothing', async () => {
  const { ask, asked } = await home()
  await ask('/p', [], false)
  expect(asked()).toBe(0)
})

it.each(['{"a', '[]', '{"x":1}'])('trusts nothing by a damaged file, and mends it: %s', async (text) => {
  const { ask, asked, file } = await home()
  await mkdir(dirname(file), { recursive: true })
  writeFileSync(file, text)
  await ask('/p', grants)
  await ask('/p', grants)
  expect(asked()).toBe(1)
})
