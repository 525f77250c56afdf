import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browserFile } from '../helpers/browser.ts'
import { yoke, yokeFile } from '../helpers/yoke.ts'
import { notes, place, reply, roles, say, verdict } from './project.ts'

const turn = [reply(notes('KEEP: none\n')), reply(say('Went on.'))]

describe.skipIf(browserFile === undefined)('yoke watch --web', () => {
  it('shows a run of the real Claude Code in a browser until it is done', { timeout: 60_000 }, async () => {
    const { project, env } = await place({
      files: { 'task.md': 'Look around.\n' },
      scenario: {
        name: 'watched',
        roles,
        script: {
          worker: [turn, turn],
          judge: [
            [reply(verdict('continue', 'Look <i>again</i>.')), reply(say('no'))],
            [reply(verdict('done', 'Enough seen.')), reply(say('yes'))],
          ],
        },
      },
    })
    const browser = await chromium.launch({ executablePath: browserFile ?? '', args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    let isRunning = () => {}
    const begun = new Promise<void>((resolve) => {
      isRunning = resolve
    })
    const run = yoke(['brute', 'task.md', '--trust', '--json'], {
      cwd: project,
      env,
      onLine: () => isRunning(),
    })
    await begun
    const watch = spawn(yokeFile, ['watch', '--web'], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void watch.kill('SIGKILL'))
    const [url] = await once(createInterface(watch.stdout), 'line')
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByText('running').first().waitFor()
    await page.locator('#now').getByText('done').waitFor()
    expect((await run).code).toBe(0)
    expect(await page.title()).toBe('task.md: done · yoke')
    expect(await page.locator('main').textContent()).toContain('Enough seen.')
    watch.kill('SIGINT')
    expect(await once(watch, 'exit')).toEqual([0, null])
  })
})
