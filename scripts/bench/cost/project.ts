import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'zx'
import { claudeEnvironment, yoke } from '../measure.ts'
import { fileText, type Job, lines } from './job.ts'

/** Writes the files of a job and its task, which runs until its iterations are over. Returns the folder of the project. */
export const writeProject = (place: string, job: Job, front: readonly string[]): string => {
  const project = join(place, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  for (const file of job.files) writeFileSync(join(project, file.name), fileText(file))
  writeFileSync(join(project, 'test-output.txt'), lines('tests', 8_000))
  const directives = [
    'judge: off',
    'stuck-after: 999',
    'allowed-tools: Bash',
    `max-iterations: ${job.iterations.length}`,
    ...front,
  ]
  writeFileSync(join(project, 'task.md'), `---\n${directives.join('\n')}\n---\nWork through the modules.\n`)
  return project
}

/** Works on the job with the real CLI, whose home is in `place`, against the model at `url`. */
export const playJob = async (
  place: string,
  project: string,
  url: string,
  shown: '--json' | '--quiet',
  lifetime: '5m' | '1h' = '5m',
) =>
  $({
    cwd: project,
    env: {
      ...(await claudeEnvironment(place, url)),
      ...(lifetime === '1h' ? { ENABLE_PROMPT_CACHING_1H: '1' } : {}),
    },
    quiet: true,
    nothrow: true,
  })`${yoke} brute task.md --trust ${shown}`
