import * as v from 'valibot'
import * as value from './values.ts'

/** What people are told about a directive: in `--help`, in editors, in the example task and in error messages. */
export type About = {
  readonly title: string
  readonly description: string
  /** Stands for the value in the help: `n`, `duration`. */
  readonly hint: string
  /** Ends the sentence "`key` must be ...". */
  readonly expects: string
  /** The values that are words, for completion. */
  readonly choices?: readonly string[]
  /** A value that shows how it is written. */
  readonly example: unknown
  /** Another directive without which this one means nothing. */
  readonly needs?: 'image'
}

const must = <const S extends v.GenericSchema>(schema: S, about: About) => v.pipe(schema, v.metadata(about))

/** No default: `none` takes back what a lower layer set. */
const may = <const S extends v.GenericSchema>(schema: S, about: About) =>
  v.optional(
    must(
      v.union([
        v.pipe(
          v.literal('none'),
          v.transform(() => undefined),
        ),
        schema,
      ]),
      about,
    ),
  )

const iterations = (title: string, description: string, example: number): About => ({
  title,
  description,
  hint: 'n',
  expects: 'a whole number, 1 or more',
  example,
})

const time = (title: string, description: string, example: string): About => ({
  title,
  description,
  hint: 'duration',
  expects:
    'a duration above zero and of 24 days at most, such as 90s, 30m, 2h or 1h30m (a plain number is seconds)',
  example,
})

const model = (title: string, description: string): About => ({
  title,
  description,
  hint: 'model',
  expects: 'the name of a model',
  example: 'opus',
})

const choice = (title: string, description: string, options: readonly [string, ...string[]]): About => ({
  title,
  description,
  hint: options.join('|'),
  expects: options.join(' or '),
  choices: options,
  example: options[0],
})

/**
 * The directives of a task: the keys are those of the front matter and of `config.yaml`, and the long flags.
 * The input is what YAML and the command line give; in the output durations are milliseconds.
 */
export const DirectivesSchema = v.strictObject({
  agent: v.optional(
    must(
      v.picklist(['claude', 'opencode']),
      choice('Agent', 'The coding agent that works.', ['claude', 'opencode']),
    ),
    'claude',
  ),
  'judge-agent': may(
    v.picklist(['claude', 'opencode']),
    choice('Agent of the judge', "The coding agent that judges; the worker's when it is left out.", [
      'claude',
      'opencode',
    ]),
  ),
  'scoper-agent': may(
    v.picklist(['claude', 'opencode']),
    choice(
      'Agent of the scoper',
      "The coding agent that plans the cycles of a saga; the worker's when it is left out.",
      ['claude', 'opencode'],
    ),
  ),
  model: may(value.name, model('Model', "The worker's model; the agent's own choice when it is left out.")),
  'judge-model': may(
    value.name,
    model(
      'Model of the judge',
      "The judge's model; the worker's when it is left out and the agent is the same.",
    ),
  ),
  'scoper-model': may(
    value.name,
    model(
      'Model of the scoper',
      "The model that plans the cycles of a saga; the worker's when it is left out and the agent is the same.",
    ),
  ),
  'agent-args': v.optional(
    must(value.argumentList, {
      title: 'More arguments',
      description: "Arguments that are added to the worker's command line as they are.",
      hint: 'args',
      expects: 'a list of arguments, or one string of them in which every quote is closed',
      example: ['--add-dir', '../lib'],
    }),
    [],
  ),
  'permission-mode': v.optional(
    must(value.name, {
      title: 'Permission mode',
      description: 'What the worker may do without being asked, in the words of the agent.',
      hint: 'mode',
      expects: 'a permission mode of the agent, such as acceptEdits or bypassPermissions',
      example: 'acceptEdits',
    }),
    'acceptEdits',
  ),
  'allowed-tools': v.optional(
    must(value.toolRules, {
      title: 'Allowed tools',
      description: 'Tools that the worker may use without being asked, besides those of the permission mode.',
      hint: 'rules',
      expects: 'a list of tool rules, such as Read or Bash(npm test:*)',
      example: ['Bash(npm test:*)', 'Bash(git diff:*)'],
    }),
    [],
  ),
  image: may(value.name, {
    title: 'Container image',
    description: 'The worker runs in a container of this image; on the host when it is left out.',
    hint: 'image',
    expects: 'the name of a container image',
    example: 'node:22',
  }),
  engine: may(v.picklist(['docker', 'podman']), {
    ...choice('Container engine', 'What runs the container; the one that is found when it is left out.', [
      'docker',
      'podman',
    ]),
    needs: 'image',
  }),
  mounts: v.optional(
    must(value.list(value.mount), {
      title: 'Mounts',
      description: 'More folders and files of the host in the container; the project is always there.',
      hint: 'mount',
      expects:
        'a list of mounts, each as path, path:ro, source:target or source:target:ro with an absolute target',
      example: ['/srv/data:ro'],
      needs: 'image',
    }),
    [],
  ),
  env: v.optional(
    must(value.variables, {
      title: 'Environment',
      description:
        'Variables for the worker: NAME hands one on, NAME=value sets one. A secret is handed on by name only.',
      hint: 'NAME[=value]',
      expects: 'a list of NAME or NAME=value, where a key, token or password stands without its value',
      example: ['CI=1', 'GITHUB_TOKEN'],
    }),
    [],
  ),
  pull: v.optional(
    must(
      v.picklist(['never', 'missing']),
      choice('Pull', 'Whether the engine may fetch an image that is not on this machine.', [
        'never',
        'missing',
      ]),
    ),
    'never',
  ),
  'checks-in': v.optional(
    must(
      v.picklist(['image', 'host']),
      choice(
        'Place of the checks',
        'With `image`: where checks run. On the host they run what the agent wrote outside of the container.',
        ['image', 'host'],
      ),
    ),
    'image',
  ),
  // Not `may`: here `none` is a value, and one to rely on.
  network: v.optional(
    must(value.name, {
      title: 'Network of the container',
      description: "The container's network: none, host or a name; with default the engine's own.",
      hint: 'name',
      expects: 'none, host, default or the name of a network',
      example: 'none',
      needs: 'image',
    }),
    'default',
  ),
  memory: may(value.name, {
    title: 'Memory of the container',
    description: 'The most memory that the container may use.',
    hint: 'size',
    expects: 'a size, such as 512m or 4g',
    example: '4g',
    needs: 'image',
  }),
  cpus: may(value.amount, {
    title: 'Processors of the container',
    description: 'How many processors the container may use.',
    hint: 'n',
    expects: 'a number above zero',
    example: 2,
    needs: 'image',
  }),
  'pids-limit': may(value.count, {
    title: 'Processes of the container',
    description: 'How many processes the container may hold.',
    hint: 'n',
    expects: 'a whole number, 1 or more',
    example: 512,
    needs: 'image',
  }),
  'read-only-root': v.optional(
    must(
      value.onOff,
      choice('Read-only root', "Whether the container's own files are read-only, with a writable /tmp.", [
        'on',
        'off',
      ]),
    ),
    'off',
  ),
  'max-iterations': v.optional(
    must(value.count, iterations('Most iterations', 'The run stops after so many iterations.', 20)),
    20,
  ),
  'max-cycles': v.optional(
    must(value.count, iterations('Most cycles', 'A saga stops after so many cycles.', 10)),
    10,
  ),
  'max-cost-usd': may(value.amount, {
    title: 'Most US dollars',
    description: 'The run stops when it has cost so much.',
    hint: 'usd',
    expects: 'an amount of US dollars above zero',
    example: 5,
  }),
  'max-duration': may(
    value.duration,
    time('Longest run', 'The run stops when it has worked for so long.', '8h'),
  ),
  'iteration-timeout': may(
    value.duration,
    time('Longest iteration', 'The agent is ended when one iteration takes longer.', '1h'),
  ),
  'idle-timeout': may(
    value.duration,
    time('Longest silence', 'The agent is ended when it reports nothing for so long.', '15m'),
  ),
  checks: v.optional(
    must(value.list(value.command), {
      title: 'Checks',
      description: 'Shell commands that must exit 0 before the judge is asked.',
      hint: 'command',
      expects: 'a shell command or a list of them, none of them empty',
      example: ['npm test'],
    }),
    [],
  ),
  judge: v.optional(
    must(value.judge, {
      title: 'Judge',
      description:
        'Whether a judge decides that the task is done, or the path of a prompt file of your own for it.',
      hint: 'on|off|file',
      expects: 'on, off or the path of a prompt file',
      choices: ['on', 'off'],
      example: 'on',
    }),
    'on',
  ),
  'judge-context': v.optional(
    must(
      v.picklist(['project', 'none']),
      choice(
        'Context of the judge',
        "Whether judge and scoper are told the project's own instructions (CLAUDE.md, AGENTS.md), as they were when the run began.",
        ['project', 'none'],
      ),
    ),
    'project',
  ),
  'context-fork-every': may(
    value.count,
    iterations('Fork every', 'A fresh session begins after so many iterations of one session.', 8),
  ),
  'context-fork-over': may(value.tokens, {
    title: 'Fork over',
    description: 'A fresh session begins when the kept part of the session passes so many tokens.',
    hint: 'tokens',
    expects: 'a number of tokens, such as 120000 or 120k',
    example: '120k',
  }),
  trim: v.optional(
    must(
      value.trim,
      choice(
        'Trim',
        'Whether the session is cut down between iterations; always: also where that costs more than it saves.',
        ['on', 'off', 'always'],
      ),
    ),
    'on',
  ),
  'stale-reads': v.optional(
    must(
      v.picklist(['refresh', 'drop']),
      choice('Stale reads', 'What a trim does with a kept file that has changed since it was read.', [
        'refresh',
        'drop',
      ]),
    ),
    'refresh',
  ),
  periodics: v.optional(
    must(
      v.pipe(
        v.array(value.periodic),
        v.check((all) => new Set(all.map(({ name }) => name)).size === all.length),
      ),
      {
        title: 'Periodics',
        description: 'Prompts that are run in a session of their own after every so many iterations.',
        hint: 'yaml',
        expects:
          'a list of {name, every, prompt or prompt-file, session, required}, where the names differ and have only a-z, 0-9 and -, every is a whole number, session is fresh or own and required is on or off',
        example: [{ name: 'docs', every: 5, prompt: 'Bring the README up to date.', session: 'fresh' }],
      },
    ),
    [],
  ),
  commit: may(value.commit, {
    title: 'Commits',
    description:
      'Whether yoke commits what the worker did: after each iteration whose checks passed, once it is done, or not at all. When it is left out: each on a yoke branch with a clean tree, else off.',
    hint: 'off|each|done',
    expects: 'off, each or done',
    choices: ['off', 'each', 'done'],
    example: 'each',
  }),
  branch: may(value.branch, {
    title: 'Branch',
    description: 'The branch that the run works on; it is made from the present commit when it is not there.',
    hint: 'name',
    expects: 'a name that git takes for a branch',
    example: 'yoke/slugify',
  }),
  'on-failure': v.optional(
    must(
      v.picklist(['keep', 'rollback']),
      choice(
        'On a failed iteration',
        'With `commit: each`: rollback takes back what an iteration changed whose checks failed or whose worker broke down, and keeps it under a ref.',
        ['keep', 'rollback'],
      ),
    ),
    'keep',
  ),
  'on-limit': v.optional(
    must(
      v.picklist(['wait', 'stop']),
      choice('On a usage limit', 'Whether the run waits until the provider resets a limit.', [
        'wait',
        'stop',
      ]),
    ),
    'wait',
  ),
  'count-waits': v.optional(
    must(
      value.onOff,
      choice('Count waits', 'Whether waits for a usage limit count as time of the run.', ['on', 'off']),
    ),
    'off',
  ),
  'on-finish': may(value.command, {
    title: 'On finish',
    description: 'A shell command that gets the result as JSON on its standard input.',
    hint: 'command',
    expects: 'a shell command',
    example: 'cat > result.json',
  }),
  'keep-awake': v.optional(
    must(
      value.onOff,
      choice('Keep awake', 'Whether the machine is kept from going to sleep while the run works.', [
        'on',
        'off',
      ]),
    ),
    'on',
  ),
  drift: v.optional(
    must(
      v.picklist(['normal', 'strict']),
      choice('Drift', 'strict refuses to trim a session that holds anything yoke does not know.', [
        'normal',
        'strict',
      ]),
    ),
    'normal',
  ),
  'stuck-after': v.optional(
    must(v.pipe(value.count, v.minValue(2)), {
      ...iterations('Stuck after', 'The run stops after so many iterations in a row without progress.', 3),
      expects: 'a whole number, 2 or more',
    }),
    3,
  ),
})

export type Directives = Readonly<v.InferOutput<typeof DirectivesSchema>>
export type DirectiveKey = keyof typeof DirectivesSchema.entries
export type Mount = Directives['mounts'][number]
export type Periodic = Directives['periodics'][number]

export const directiveKeys = Object.keys(DirectivesSchema.entries) as readonly DirectiveKey[]

const durations = new Set<string>([
  'max-duration',
  'iteration-timeout',
  'idle-timeout',
] satisfies DirectiveKey[])

/** What people are told about a directive. */
export const aboutDirective = (key: DirectiveKey): About =>
  v.getMetadata(DirectivesSchema.entries[key].wrapped)

/** The default as it would be written; undefined for what is unset by default. */
export const defaultOf = (key: DirectiveKey): unknown => v.getDefault(DirectivesSchema.entries[key])

/** Directives in a form that `DirectivesSchema` reads back to the same values: to store them and to layer a resumed run on them. */
export const asInput = (directives: Directives): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(directives)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key, durations.has(key) ? `${each}ms` : each]),
  )
