import { resolve } from 'node:path'
import picocolors from 'picocolors'
import { agentNames } from '../agents/registry.ts'
import { examine, lookAround } from '../doctor/doctor.ts'
import { probe } from '../doctor/probe.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { doctorText } from '../ui/doctor.ts'
import { printableJson } from '../ui/format.ts'
import { wantsColor } from '../ui/output.ts'

type Options = {
  readonly probe?: boolean
  readonly learn?: boolean
  readonly agent?: string
  readonly agentPath?: string
  readonly image?: string
  readonly json?: boolean
}

export const define: Define = (cli) => {
  cli
    .command('doctor', 'Look at everything that a run stands on: agents, sessions, formats, containers, disk')
    .option('--probe', 'Rehearse run, resume and trim with the installed agent: offline, without a token')
    .option(
      '--learn',
      'With --probe: keep the format of a release that passed, for the guard before each trim',
    )
    .option(
      `--agent <${agentNames.join('|')}>`,
      'The agent to rehearse with (default: that of the configuration)',
    )
    .option('--agent-path <file>', 'The program of the agent, in place of the one on PATH')
    .option('--image <image>', 'Look at this container image too; with --probe: rehearse in it')
    .option('--json', 'Print the rows as JSON')
    .example('  yoke doctor')
    .example('  yoke doctor --probe')
    .example('  yoke doctor --probe --learn --agent-path ~/new/claude')
    .example(`  yoke doctor --json | jq '.rows[] | select(.status == "fail")'`)
    .action(async (options: Options) => {
      if (options.learn && !options.probe)
        throw new YokeError('E_USAGE', '--learn needs --probe.', 'Say --probe --learn.', exitCode.usage)
      const project = process.cwd()
      const look = await lookAround({
        project,
        env: process.env,
        now: Date.now(),
        image: options.image === undefined ? undefined : String(options.image),
        agentPath: options.agentPath === undefined ? undefined : resolve(project, String(options.agentPath)),
        ...(options.agent === undefined ? {} : { agent: String(options.agent) }),
      })
      const agent = options.agent ?? look.directives?.agent ?? 'claude'
      const rows = [
        ...(await examine(look)),
        ...(options.probe ? await probe(look, { agent: String(agent), learn: options.learn === true }) : []),
      ]
      const failed = rows.some(({ status }) => status === 'fail')
      const colors = picocolors.createColors(wantsColor(process.stdout, process.env))
      process.stdout.write(
        `${options.json ? printableJson({ ok: !failed, rows }) : doctorText(rows, colors)}\n`,
      )
      return failed ? exitCode.failed : exitCode.done
    })
}
