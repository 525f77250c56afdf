import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findExecutable } from '../agents/find-executable.ts'
import { agentByName } from '../agents/registry.ts'
import type { Define } from '../main.ts'
import { probeEnvironment } from '../probe/environment.ts'
import { cacheFolder, ensureRelease, pinned } from '../probe/pinned-cli.ts'
import { parseScenario } from '../probe/scenario.ts'
import demoScenario from '../probe/scenarios/demo.json' with { type: 'json' }
import demoProject from '../probe/scenarios/demo-project.json' with { type: 'json' }
import { startModelServer } from '../probe/server.ts'
import { startRun } from '../run/start.ts'
import { createOutput } from '../ui/output.ts'

type DemoOptions = { readonly json?: boolean; readonly keep?: boolean; readonly plain?: boolean }

export const define: Define = (cli) => {
  cli
    .command('demo', 'Watch a small task being done, with the real Claude Code CLI and no account')
    .option('--json', 'Print the events, one JSON object a line')
    .option('--plain', 'Print lines of plain words: no live block, no colour')
    .option('--keep', 'Keep the folder of the demo')
    .example('  yoke demo')
    .example('  yoke demo --json | jq -r .type')
    .action(runDemo)
}

/**
 * A whole run in a temporary folder: the real CLI works on a small project, and a model server on loopback plays the
 * model. It takes three iterations: a check fails, the judge objects, the task is done.
 */
const runDemo = async (options: DemoOptions): Promise<number> => {
  const say = (text: string) => {
    if (!options.json) process.stdout.write(`${text}\n`)
  }
  const claude = await findOrInstall(say)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yoke-demo-')))
  const project = join(folder, 'project')
  await writeProject(project, demoProject.files)
  const server = await startModelServer({
    scenario: parseScenario(demoScenario),
    variables: { cwd: project },
  })
  const output = createOutput(options, process.stdout, process.env)
  try {
    say(
      `The agent is ${claude}. A model server on ${server.url} plays the model: no account, no key, nothing to pay.`,
    )
    const end = await startRun(
      {
        project,
        flags: {},
        askForTrust: async () => true,
        findAgent: async () => ({ agent: agentByName('claude'), agentFile: claude }),
        env: probeEnvironment({ url: server.url, home: join(folder, 'home'), base: process.env }),
        onEvent: output.event,
        onActivity: output.activity,
      },
      'task.md',
    )
    say(
      '\nNothing was spent: a model server on this machine played the model. The cost is what the CLI reckons for such requests.',
    )
    say(
      options.keep
        ? `The project, with logs and notes, is in ${project}. Try \`yoke report\` and \`yoke logs\` there.`
        : 'The folder is gone again. Keep it, with its logs and notes, with `yoke demo --keep`.',
    )
    return end.exitCode
  } finally {
    await server.close()
    if (!options.keep) await rm(folder, { recursive: true, force: true })
  }
}

/** The CLI of the user's, else a pinned one from npm, which is kept for the next time. */
const findOrInstall = (say: (text: string) => void): Promise<string> =>
  findExecutable(agentByName('claude'), process.env).catch(() =>
    ensureRelease('claude', pinned.claude, cacheFolder(process.env), () =>
      say(`There is no \`claude\` on PATH: installing ${pinned.claude} from npm, once (400 MB).`),
    ),
  )

const writeProject = async (project: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true })
    await writeFile(join(project, name), text)
  }
}
