import { describe, expect, it } from 'vitest'
import { scanBytes } from '../../src/transcript/scan.ts'
import { opening, readUse, session, text, use } from '../helpers/session.ts'

const tokensOf = (files: number, content: string) => {
  const story = session()
  opening(story)
  const names = Array.from({ length: files }, (_, index) => `r${index}`)
  story.answer(names.map((id) => readUse(id, `/project/${id}`)))
  for (const id of names) story.content(id, `/project/${id}`, content)
  story.answer([text('Done.')])
  return scanBytes(story.bytes(), { cwd: '/project', wants: () => false }).chain.tokens
}

describe('the tokens of the live conversation', () => {
  it('count every result of parallel uses, which hang beside the chain (anthropics/claude-code#31328)', () => {
    const content = 'x'.repeat(40_000)
    const [one, four] = [tokensOf(1, content), tokensOf(4, content)]
    expect(one).toBeGreaterThan(10_000)
    expect(four - one).toBeGreaterThan(30_000)
    expect(four - one).toBeLessThan(31_000)
  })

  it('do not count results on a branch that was left', () => {
    const story = session()
    opening(story)
    const prompt = story.parent()
    story.read('r1', '/project/a', 'x'.repeat(40_000))
    story.answer([text('No.')])
    story.hangOn(prompt)
    story.answer([text('Done.')])
    expect(scanBytes(story.bytes(), { cwd: '/project', wants: () => false }).chain.tokens).toBeLessThan(1000)
  })

  it('are counted along 20,000 links in one go (anthropics/claude-code#24457, #22040)', () => {
    const story = session()
    opening(story)
    story.read('r1', '/project/a', 'x'.repeat(40_000))
    for (let n = 0; n < 10_000; n++) {
      story.answer([use(`b${n}`, 'Bash', {})])
      story.result(`b${n}`, 'ok')
    }
    const bytes = story.bytes()
    const began = performance.now()
    expect(scanBytes(bytes, { cwd: '/project', wants: () => false }).chain.tokens).toBeGreaterThan(10_000)
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
