import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { opening, readUse, session, text, thinking, use } from '../helpers/session.ts'
import { workplace } from './workplace.ts'

const runs = Number(process.env['YOKE_FUZZ_RUNS'] ?? 2000)

type Step =
  | { readonly do: 'reads'; readonly names: readonly string[]; readonly order: number }
  | {
      readonly do:
        | 'bash'
        | 'say'
        | 'think'
        | 'prompt'
        | 'compact'
        | 'remind'
        | 'progress'
        | 'fork'
        | 'unknown'
        | 'side'
    }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('reads' as const),
    names: fc.uniqueArray(fc.constantFrom('a.ts', 'b.ts', 'c.ts'), { minLength: 1 }),
    order: fc.nat(5),
  }),
  fc
    .constantFrom(
      'bash',
      'say',
      'think',
      'prompt',
      'compact',
      'remind',
      'progress',
      'fork',
      'unknown',
      'side',
    )
    .map((what) => ({ do: what }) as Step),
)

type Harm = { readonly kind: number; readonly line: number; readonly at: number }
const harm: fc.Arbitrary<Harm> = fc.record({ kind: fc.nat(7), line: fc.nat(60), at: fc.nat(2000) })

const write = (cwd: string, steps: readonly Step[]): readonly Buffer[] => {
  const story = session({ cwd })
  opening(story)
  const before: (string | null)[] = []
  for (const [index, each] of steps.entries()) {
    before.push(story.parent())
    const id = `t${index}`
    if (each.do === 'reads') {
      const named = each.names.map((name, n) => ({ id: `${id}-${n}`, path: `${cwd}/${name}` }))
      story.answer([thinking(), ...named.map((read) => readUse(read.id, read.path))])
      for (const read of each.order % 2 ? named : [...named].reverse())
        story.content(read.id, read.path, 'alpha\nbeta')
    } else if (each.do === 'bash') {
      story.answer([use(id, 'Bash', { command: 'x' })])
      story.result(id, 'output')
    } else if (each.do === 'say') story.answer([text(`Text ${index}.`)])
    else if (each.do === 'think') story.answer([thinking()])
    else if (each.do === 'prompt') story.prompt(`Prompt ${index}`)
    else if (each.do === 'remind') story.attachment('task_reminder', { content: index })
    else if (each.do === 'progress') story.record('progress', {})
    else if (each.do === 'unknown') story.record('novel', { index })
    else if (each.do === 'side') story.prompt('side', { isSidechain: true })
    else if (each.do === 'fork') story.hangOn(before[index >> 1] ?? null)
    else {
      story.record(
        'system',
        { subtype: 'compact_boundary' },
        { parentUuid: null, logicalParentUuid: story.parent() },
      )
      story.record('user', { isCompactSummary: true, message: { role: 'user', content: 'Summary.' } })
    }
  }
  return story.lines().map((line) => Buffer.from(line))
}

const harmed = (lines: readonly Buffer[], { kind, line, at }: Harm): readonly Buffer[] => {
  const index = line % lines.length
  const one = lines[index] ?? Buffer.alloc(0)
  const next = lines[(index + 1) % lines.length] ?? Buffer.alloc(0)
  const cut = one.subarray(0, at % (one.length + 1))
  const replaced: readonly (readonly Buffer[])[] = [
    [cut],
    [Buffer.concat([cut, next])],
    [Buffer.concat([one, next])],
    [Buffer.alloc(40)],
    [],
    [one, one],
    [Buffer.from(one.toString().replace(/"parentUuid":"[^"]*"/, '"parentUuid":"gone"'))],
    [Buffer.from(one.toString().replace(/"(?:uuid|timestamp|id|content)":/, '"other":'))],
  ]
  return [...lines.slice(0, index), ...(replaced[kind] ?? []), ...lines.slice(index + 1)]
}

describe('any session, whole or damaged', () => {
  it(`is trimmed into one that verifies, and once is enough, or is left as it is (${runs} cases)`, {
    timeout: 120_000 + runs * 200,
  }, async () => {
    const place = await workplace()
    const out = join(place.folder, 'out.jsonl')
    for (const name of ['a.ts', 'b.ts']) place.write(name, name === 'a.ts' ? 'alpha\nbeta' : 'changed')
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(harm, { maxLength: 3 }),
        fc.boolean(),
        async (steps, harms, isEnded) => {
          const lines = harms.reduce(harmed, write(place.cwd, steps))
          const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))
          const stored = isEnded ? bytes : bytes.subarray(0, -1)
          place.store(stored)
          rmSync(out, { force: true })
          const first = await place.trim(['*.ts'], { out })
          expect(place.bytes().equals(stored)).toBe(true)
          if (first.status === 'refused') {
            // A record that has lost a key is no longer what the trim stands on: refusing is right.
            const lostKey = harms.some(({ kind }) => kind === 7)
            expect(['no-answer', 'no-prompt', 'empty', ...(lostKey ? ['unverified'] : [])]).toContain(
              first.code,
            )
            expect(existsSync(out)).toBe(false)
            return
          }
          const again = await place.trim(['*.ts'], { file: out, dryRun: true })
          expect(again).toMatchObject({ status: 'unchanged' })
        },
      ),
      { numRuns: runs },
    )
  })
})
