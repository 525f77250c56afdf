import { expect, it } from 'vitest'
import { fingerprint } from '../../src/drift/fingerprint.ts'
import { parseShape } from '../../src/drift/shape.ts'

/** Lines of one type that the scan only looked at; the one whose number is given is unlike the others, and as long as it is told. */
const namesFound = ({ lines, odd, length = 0 }: { lines: number; odd: number; length?: number }) => {
  const { looked, finish } = fingerprint({
    known: new Map([['mode', parseShape('type: string, mode: string')]]),
    isKnownPart: () => false,
    thorough: false,
  })
  for (let line = 1; line <= lines; line += 1) {
    const record = { type: 'mode', mode: '', ...(line === odd ? { odd: 1 } : {}) }
    const { length: bare } = JSON.stringify(record)
    const bytes = Buffer.from(
      JSON.stringify({ ...record, mode: 'x'.repeat(line === odd ? Math.max(0, length - bare) : 0) }),
    )
    looked('mode', bytes, 0, bytes.length, line)
  }
  return finish(() => false).differences.map(({ name, line }) => `${name}:${line}`)
}

it('looks into the first four records of a type, and then into ever fewer', () => {
  const seen = Array.from({ length: 40 }, (_, index) => index + 1).filter(
    (odd) => namesFound({ lines: 40, odd }).length > 0,
  )
  expect(seen).toEqual([1, 2, 3, 4, 8, 16, 32])
})

it('looks into a line of more than 64 KiB only where it is the first of its type', () => {
  expect(namesFound({ lines: 2, odd: 2, length: 1 << 16 })).toEqual(['mode.odd:2'])
  expect(namesFound({ lines: 2, odd: 2, length: (1 << 16) + 1 })).toEqual([])
  expect(namesFound({ lines: 2, odd: 1, length: 1 << 17 })).toEqual(['mode.odd:1'])
})
