import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf, yoke } from '../helpers/yoke.ts'
import { notes, place, read, reply, roles, say, twoTurns, verdict, write } from './project.ts'

const { files, worker, judge } = twoTurns()
const scenario = { name: 'untrusted', roles, script: { worker: [worker, worker], judge } }
const powerless = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('a tool that the worker is denied', () => {
  const denied = [reply({ tool: 'Bash', input: { command: 'npm test', description: 'Test' } }), ...worker]
  it('is an event, and a line with the directive to set', { timeout: 60_000 }, async () => {
    const script = { worker: [denied, worker], judge }
    const json = await place({ files, scenario: { ...scenario, script } })
    const run = await yoke(['brute', 'task.md', '--json'], { cwd: json.project, env: json.env })
    expect(run.code).toBe(0)
    expect(
      eventsOf(run).find((event) => event.type === 'agent.finished' && event.role === 'worker'),
    ).toMatchObject({ class: 'permission', denials: ['Bash npm test'] })
    const people = await place({ files, scenario: { ...scenario, script } })
    const shown = await yoke(['brute', 'task.md'], { cwd: people.project, env: people.env })
    expect(shown.stdout).toContain('The agent was denied: Bash npm test. Set `allowed-tools`')
  })

  it('is not denied when `allowed-tools` names it', { timeout: 60_000 }, async () => {
    const { project, env } = await place({
      files: { ...files, 'package.json': '{"scripts":{"test":"touch tested"}}' },
      scenario: { ...scenario, script: { worker: [denied, worker], judge } },
    })
    const flags = ['--allowed-tools', 'Bash(npm test:*)']
    expect(await yoke(['brute', 'task.md', '--json', ...flags], { cwd: project, env })).toMatchObject({
      code: 0,
    })
    expect(existsSync(join(project, 'tested'))).toBe(true)
  })
})

describe('what a cloned repository brings along', () => {
  it('cannot lift the permissions by itself', { timeout: 60_000 }, async () => {
    const task = '---\npermission-mode: bypassPermissions\n---\nLeave two files.\n'
    const { project, env } = await place({ files: { ...files, 'task.md': task }, scenario })
    const refused = await yoke(['brute', 'task.md'], { cwd: project, env })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('bypassPermissions') })
    expect(existsSync(join(project, '.loop'))).toBe(false)
    const agreed = await yoke(['brute', 'task.md', '--permission-mode', 'acceptEdits', '--json'], {
      cwd: project,
      env,
    })
    expect(agreed.code).toBe(0)
  })

  it('cannot have a run resumed that was never started here', { timeout: 60_000 }, async () => {
    const own = await place({ files, scenario })
    const check = ['--checks', 'touch ran']
    const stopped = await yoke(['brute', 'task.md', '--json', ...check], {
      cwd: own.project,
      env: own.env,
      onLine: (line, pid) => {
        if (JSON.parse(line).type === 'session.opened') process.kill(pid, 'SIGINT')
      },
    })
    expect(stopped.code).toBe(130)
    const other = await place({ files: { 'a.txt': 'kept\n' }, scenario })
    const [id = ''] = readdirSync(join(own.project, '.loop/runs'))
    const run = join(other.project, '.loop/runs', id)
    await mkdir(run, { recursive: true })
    for (const name of ['events.jsonl', 'task.md'])
      writeFileSync(join(run, name), readFileSync(join(own.project, '.loop/runs', id, name)))
    const foreign = await yoke(['resume'], { cwd: other.project, env: other.env })
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('E_UNTRUSTED') })
    expect(existsSync(join(other.project, 'ran'))).toBe(false)
    // The user who started it is not asked again.
    expect(await yoke(['resume', '--json'], { cwd: own.project, env: own.env })).toMatchObject({ code: 0 })
  })
})

describe('text that would take the terminal over', () => {
  const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31mpwned\u202e'
  it('is powerless from notes, file names, checks, verdicts and errors', { timeout: 60_000 }, async () => {
    const name = `we\u001b[31mird\u0007.txt`
    const turn = [
      reply(read('a.txt')),
      reply(write(name, evil)),
      reply(read(name)),
      reply(notes(`KEEP: a.txt, "${name}"\n${evil}\n`)),
      reply(say(evil)),
    ]
    const { project, env } = await place({
      files: { ...files, 'shout.sh': `printf '${evil}'; exit $(cat status 2>/dev/null || echo 1)\n` },
      scenario: {
        ...scenario,
        script: {
          worker: [turn, [...turn.slice(0, 4), reply(write('status', '0')), reply(say(evil))]],
          judge: [[reply(verdict('done', evil)), reply(say('yes'))]],
        },
      },
    })
    const flags = ['--checks', 'sh shout.sh']
    const run = await yoke(['brute', 'task.md', ...flags], {
      cwd: project,
      env: { ...env, FORCE_COLOR: '0' },
    })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('pwned')
    expect(run.stdout).not.toMatch(powerless)
    const status = await yoke(['status'], { cwd: project, env: { ...env, FORCE_COLOR: '0' } })
    expect(status.stdout).not.toMatch(powerless)
    const wrong = await yoke(['brute', `${evil}.md`], { cwd: project, env })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('pwned') })
    expect(wrong.stderr).not.toMatch(powerless)
  })

  it('is escaped in the events, and the same again for a program', { timeout: 60_000 }, async () => {
    const { project, env } = await place({
      files,
      scenario: { ...scenario, script: { worker: [[reply(say(evil)), ...worker], worker], judge } },
    })
    const run = await yoke(['brute', 'task.md', '--json', '--max-iterations', '1'], { cwd: project, env })
    expect(run.stdout).not.toMatch(powerless)
    expect(
      eventsOf(run).some((event) => event.type === 'agent.said' && event.text.includes('\u009b31mpwned')),
    ).toBe(true)
  })

  it('is no command: names and prompts full of shell syntax are never run', { timeout: 60_000 }, async () => {
    const shell = '$(touch ran1) `touch ran2`; touch ran3 & touch ran4 | touch ran5'
    const file = '; touch ran6 $(touch ran7).md'
    const { project, env } = await place({
      files: { ...files, [file]: `Leave two files. ${shell}\n`, 'AGENTS.md': shell },
      scenario: {
        ...scenario,
        script: {
          worker: [
            [
              reply(write('$(touch ran8)', shell)),
              reply(notes(`KEEP: "$(touch ran8)"\n${shell}\n`)),
              ...worker.slice(3),
            ],
            worker,
          ],
          judge: [[reply(verdict('continue', shell)), reply(say('no'))], judge[1]],
        },
      },
    })
    const run = await yoke(['brute', file, '--model', 'claude-sonnet-4-5'], { cwd: project, env })
    expect(run.code).toBe(0)
    expect(readdirSync(project).filter((each) => each.startsWith('ran'))).toEqual([])
  })
})
